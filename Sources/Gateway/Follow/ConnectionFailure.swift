import NIOCore
import NIOPosix
import NIOSSL
import SystemPackage

/// The reason why a connection could not be made, or broke, in a few words.
enum ConnectionFailure {
  static func words(for error: any Error) -> String {
    switch error {
    case let error as NIOConnectionError:
      // A name can have several addresses; the failure of the first one is the most relevant.
      if let first = error.connectionErrors.first { return words(for: first.error) }
      return "no address is known for \(error.host)"
    case ChannelError.connectTimeout(let time):
      return "nobody answered in \(time.nanoseconds / 1_000_000) ms"
    case let error as IOError: return "\(Errno(rawValue: error.errnoCode))"
    case NIOSSLError.handshakeFailed(let error): return tlsWords("\(error)")
    case NIOSSLError.uncleanShutdown: return "it broke off"
    case let error as NIOSSLExtraError where error == .failedToValidateHostname:
      return "its certificate is for another name"
    case is NIOSSLError, is BoringSSLError: return tlsWords("\(error)")
    default: return "\(error)"
    }
  }

  /// The library gives its reasons only as text.
  private static func tlsWords(_ text: String) -> String {
    if text.contains("CERTIFICATE_VERIFY_FAILED") { return "its certificate is not trusted" }
    if text.contains("WRONG_VERSION_NUMBER") || text.contains("HTTP_REQUEST") {
      return "it does not speak TLS"
    }
    return "TLS failed: \(text)"
  }
}
