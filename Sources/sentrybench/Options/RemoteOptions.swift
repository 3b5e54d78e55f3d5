import ArgumentParser
import Engine
import Networking
import Sessions

/// Options for the bench's port over TCP.
struct RemoteOptions: ParsableArguments {
  @Option(
    help: ArgumentHelp(
      """
      Also serve the port over TCP on this address by RFC 2217, with its modem lines: pyserial and \
      others open rfc2217://HOST:PORT. Without a host it is 127.0.0.1, and port 0 is a free one. \
      One client at a time, the first that sends something; one that sends nothing only listens. \
      Setting DTR, which a client's first byte does, restarts the board as on an Uno, unless \
      --no-reset is given; its bootloader then uses the line for --boot-time. There is \
      no authentication, so another computer's access also requires --allow-anonymous. A command \
      after -- reads rfc2217://HOST:PORT from SENTRY_RFC2217.
      """, valueName: "[host:]port"))
  var rfc2217: String?

  /// Returns where to listen. `allowsAnonymous` is whether anyone may connect.
  func endpoint(allowsAnonymous: Bool) throws(Failure) -> Endpoint? {
    guard let rfc2217 else { return nil }
    guard let endpoint = Endpoint(rfc2217) ?? Endpoint("127.0.0.1:\(rfc2217)") else {
      throw Failure(
        .usage,
        "error: \"\(rfc2217)\" is not an address to listen on; expected PORT or HOST:PORT, for "
          + "example 2217 or [::1]:2217")
    }
    guard endpoint.isLoopback || allowsAnonymous else {
      throw Failure(
        .usage,
        "error: \(endpoint) can be reached from other computers, and RFC 2217 has no "
          + "authentication: give `--allow-anonymous` to let everybody in, or listen on 127.0.0.1")
    }
    return endpoint
  }

  /// The notice to print at the start.
  static func notice(listening endpoint: Endpoint) -> String {
    let place = endpoint.port == 0 ? "on \(endpoint.host)" : "at \(endpoint)"
    let programs = endpoint.isLoopback ? "on this computer" : "that can reach it"
    return "RFC 2217 has no authentication: any program \(programs) can move the turret \(place)"
  }
}
