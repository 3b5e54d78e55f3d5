package import Engine

extension AccessPolicy {
  /// Checks that listening there is safe or explicitly permitted, and returns the notices to print
  /// at the start. An address that other computers can reach requires tokens, or an option that
  /// explicitly allows anonymous clients.
  package func check(
    listening endpoint: Endpoint, transport: Transport
  ) throws(NetworkError) -> [String] {
    switch transport {
    case .webSocket: try checkOrigins() + checkWebSocket(endpoint)
    case .tcp: try checkTCP(endpoint)
    }
  }

  /// A notice to print at the start that is not a warning; nil if there is none.
  package func note(listening endpoint: Endpoint, transport: Transport) -> String? {
    guard transport == .tcp, endpoint.isLoopback, !isGuarded else { return nil }
    return openTCP(endpoint)
  }

  /// Whether clients without a token are refused.
  private var isGuarded: Bool { !tokens.isEmpty && !allowsAnonymous }

  private func checkOrigins() throws(NetworkError) -> [String] {
    for text in allowedOrigins where text != "null" && Origin(text) == nil {
      throw NetworkError(
        .usage,
        "error: --allow-origin \(text): not an origin; expected SCHEME://HOST or "
          + "SCHEME://HOST:PORT and nothing after it, such as https://turret.example")
    }
    guard allowedOrigins.contains("null") else { return [] }
    return ["--allow-origin null lets in every page that hides its origin, and any page can"]
  }

  private func checkWebSocket(_ endpoint: Endpoint) throws(NetworkError) -> [String] {
    guard !endpoint.isLoopback else { return [] }
    if allowsAnonymous { return [anonymousWarning(endpoint)] + plainWarning(endpoint) }
    guard !tokens.isEmpty else {
      throw NetworkError(
        .usage,
        "error: \(endpoint) can be reached from other computers, and anyone who reaches it can "
          + "move the turret: give `--token-file FILE` with one token per line "
          + "(`openssl rand -hex 16 > FILE`), or `--allow-anonymous` to accept everybody")
    }
    return plainWarning(endpoint)
  }

  private func checkTCP(_ endpoint: Endpoint) throws(NetworkError) -> [String] {
    if endpoint.isLoopback { return isGuarded ? [openTCP(endpoint) + ", without a token"] : [] }
    guard allowsAnonymous else {
      throw NetworkError(
        .usage,
        "error: \(endpoint) can be reached from other computers, and bare TCP cannot send a token: "
          + "give `--allow-anonymous` to let everybody in, listen on 127.0.0.1, or use WebSocket "
          + "with `--listen HOST:PORT --token-file FILE`")
    }
    return [openTCP(endpoint)]
  }

  private func openTCP(_ endpoint: Endpoint) -> String {
    let who = endpoint.isLoopback ? "on this computer" : "that can reach it"
    // If the port is 0, the system chooses one; a script must not read 0 as the port to connect to.
    let place = endpoint.port == 0 ? "on \(endpoint.host)" : "at \(endpoint)"
    return "bare TCP has no access control: any program \(who) can move the turret \(place)"
  }

  private func anonymousWarning(_ endpoint: Endpoint) -> String {
    "anyone who can reach \(endpoint) can move the turret: --allow-anonymous accepts clients "
      + "without a token"
  }

  private func plainWarning(_ endpoint: Endpoint) -> [String] {
    guard !tokens.isEmpty, !isTLS else { return [] }
    return [
      "tokens go to \(endpoint) in plain text and can be read on the way: --tls-cert and --tls-key "
        + "encrypt them"
    ]
  }
}
