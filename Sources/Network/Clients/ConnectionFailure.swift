import NIOCore
import NIOPosix
import Sketches
import SystemPackage
import Traces

/// The reason why a connection could not be made, or broke, in a few words.
enum ConnectionFailure {
  static func reason(for error: any Error) -> String {
    switch error {
    case let error as NIOConnectionError:
      // A name can have several addresses; the failure of the first one is the most relevant.
      if let first = error.connectionErrors.first { return reason(for: first.error) }
      return "no address is known for \(error.host)"
    case ChannelError.connectTimeout(let time):
      return "no answer in \(String(readable: .nanoseconds(time.nanoseconds)))"
    case let error as IOError: return "\(Errno(rawValue: error.errnoCode))"
    default: return TLSLayer.reason(for: error) ?? "\(error)"
    }
  }
}
