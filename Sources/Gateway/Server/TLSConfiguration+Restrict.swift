import NIOCore
import NIOSSL
import Turret

extension TLSConfiguration {
  /// What both ends have in common: TLS 1.2 or later, HTTP/1.1 for WebSockets, and `closeTime` for a
  /// goodbye.
  mutating func restrict(closeTime: Interval) {
    minimumTLSVersion = .tlsv12
    applicationProtocols = ["http/1.1"]
    shutdownTimeout = .init(closeTime)
  }
}
