import Synchronization

/// Turns off the telemetry that the bench turned on, unless the sender has requested it. It does so
/// when its last reference is released.
final class TelemetryLease: Sendable {
  private let port: any BoardPort
  private let isKept = Atomic(false)

  init(_ port: any BoardPort) { self.port = port }

  deinit {
    // There is always room for one byte, unless the port is gone.
    if !isKept.load(ordering: .relaxed) { _ = try? port.write([UInt8(ascii: "V")]) }
  }

  func keep(_ isKept: Bool) { self.isKept.store(isKept, ordering: .relaxed) }
}
