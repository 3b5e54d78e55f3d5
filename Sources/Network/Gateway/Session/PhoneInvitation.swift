/// What a person needs to connect a phone's browser to the server: the address with the token, and
/// the certificate's fingerprint. It contains a secret, so it is shown only on a terminal.
package struct PhoneInvitation: Sendable {
  /// SHA-256.
  package var fingerprint: String
  package var names: CertificateNames
  /// nil if the server requires none.
  package var token: Token?
  /// Where the addresses lead: `/phone`, or `/` if that page is not installed.
  package var path: String

  package init(
    fingerprint: String, names: CertificateNames, token: Token?, path: String = "/phone"
  ) {
    self.fingerprint = fingerprint
    self.names = names
    self.token = token
    self.path = path
  }

  /// The addresses of the page, best first.
  package func pages(at endpoints: [Endpoint]) -> [String] {
    // The part after the `#` stays in the browser: it is never in a request or a log.
    let secret = token.map { "#token=\($0.encoded)" } ?? ""
    return names.reachable(at: endpoints).map { "https://\($0)\(path)" + secret }
  }

  /// The text for the terminal. `pages`: what `pages(at:)` returns.
  package func text(for pages: [String]) -> String {
    """
    The address for a browser\(token == nil ? "" : ", with a token"):
      \(pages.joined(separator: "\n  "))
    The browser warns of the certificate, because this computer signed it. Accept it only if its
    SHA-256 fingerprint is
      \(fingerprint.prefix(47))
      \(fingerprint.dropFirst(48))
    """
  }
}

extension PhoneInvitation: CustomStringConvertible, CustomDebugStringConvertible, CustomReflectable
{
  package var description: String { "an invitation" }
  package var debugDescription: String { description }
  package var customMirror: Mirror { Mirror(self, children: [:]) }
}
