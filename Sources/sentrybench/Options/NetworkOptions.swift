import ArgumentParser
import Engine
import Logging
import Network
import Sessions
import Sketches

/// Options for what a server of senders does.
struct SenderOptions: ParsableArguments {
  @Option(
    name: .customLong("tcp"),
    help: ArgumentHelp(
      """
      Also accept senders over bare TCP on this address. Can be given more than once. TCP has no \
      access control: no tokens and no TLS. A connection that begins as HTTP, TLS or WebRTC, as \
      that of a web page does, is refused. TCP has no messages, so only the limits --max-clients \
      and --idle-timeout apply.
      """, valueName: "host:port"))
  var tcp: [String] = []

  @Flag(
    help: """
      Pass bytes on unchanged, for tests of the firmware itself. By default only whole commands \
      reach the board, and the newest aim wins. With --raw nothing is replaced, and bytes are \
      refused only from a client without control and while the board is disconnected. There is no \
      default for --max-rate: the gateway stops reading from a client that is 65536 bytes ahead of \
      the line until the line has caught up. The bytes of a client that has left are sent for 30 s \
      at most.
      """)
  var raw = false

  @Option(
    help: """
      Which of several clients has control: first or latest. A client over bare TCP counts from \
      its first command on, or with --raw from its first byte.
      """)
  var control = ControlPolicy.first

  @Option(
    help: """
      What the turret does when the client in control disconnects, and at the end: hold, scan or \
      centre.
      """)
  var onDisconnect = DisconnectAction.hold

  @Option(
    help: ArgumentHelp(
      """
      Pass the pictures of /detect to this detector, such as sentry-camera serve, and its answers \
      back. Only the client in control can send pictures, at most 15 a second. The detector must \
      be on this computer, unless --remote-detector is given.
      """, valueName: "ws://host:port"))
  var detector: String?

  @Flag(
    help: """
      Let --detector be on another computer. Pictures of people then cross the network without \
      encryption.
      """)
  var remoteDetector = false

  func validate() throws {
    try UsageRule.check(
      UsageRule("--remote-detector", remoteDetector, requires: "--detector", detector))
  }

  var areGiven: Bool {
    !tcp.isEmpty || raw || control != .first || onDisconnect != .hold || detector != nil
      || remoteDetector
  }
}

/// Options for whom a server admits.
struct AccessOptions: ParsableArguments {
  @Option(
    help: """
      A file with one token a line. A client sends one of them as Authorization: Bearer TOKEN, or, \
      in a browser, as ?token=TOKEN.
      """, completion: .file())
  var tokenFile: String?

  @Flag(
    help: """
      Accept clients without a token. The phone app sends none, and bare TCP cannot. Anyone who \
      can reach the address can then move the turret.
      """)
  var allowAnonymous = false

  @Option(
    help: ArgumentHelp(
      """
      Accept web pages of this origin, for example https://turret.example. Can be given more than \
      once. /health and /metrics can then be read under that name without a token, as they can \
      under an IP address, localhost, this computer's own .local name, or a name in --listen.
      """,
      valueName: "origin"))
  var allowOrigin: [String] = []

  @Option(
    help: ArgumentHelp("Serve TLS with this certificate chain, in PEM form.", valueName: "file"),
    completion: .file())
  var tlsCert: String?

  @Option(
    help: ArgumentHelp("The private key of the certificate, in PEM form.", valueName: "file"),
    completion: .file())
  var tlsKey: String?

  @Flag(
    help: """
      Serve TLS with a certificate that this computer signs itself, for its own names and \
      addresses. The openssl program makes it; it is kept in $XDG_STATE_HOME/sentrybench/tls and \
      used again while it is valid. On a terminal, its fingerprint and the address with a token \
      are printed, with a QR code if the qrencode program is installed.
      """)
  var tlsSelfSigned = false

  func validate() throws {
    try UsageRule.check(
      UsageRule(
        brokenIf: (tlsCert == nil) != (tlsKey == nil),
        "--tls-cert and --tls-key require each other."),
      UsageRule("--tls-self-signed", tlsSelfSigned, excludes: "--tls-cert", tlsCert))
  }

  /// Whether any but `--allow-anonymous` was given.
  var areOthersGiven: Bool { tokenFile != nil || !allowOrigin.isEmpty || isTLS }

  var isTLS: Bool { tlsCert != nil || tlsSelfSigned }

  /// Checks it for the addresses of a server.
  func policy(of server: ServerConfiguration, log: Logger) throws(NetworkError) -> AccessPolicy {
    var policy = AccessPolicy()
    policy.allowsAnonymous = allowAnonymous
    policy.allowedOrigins = allowOrigin
    policy.ownHosts = server.webSocket.map(\.host)
    policy.localName = LocalName.ofThisComputer
    policy.isTLS = isTLS
    var warnings: [String] = []
    if let tokenFile {
      let file = try TokenFile.read(path: tokenFile)
      policy.tokens = file.tokens
      warnings += file.warnings
    }
    for endpoint in server.webSocket {
      warnings += try policy.check(listening: endpoint, transport: .webSocket)
    }
    for endpoint in server.tcp {
      warnings += try policy.check(listening: endpoint, transport: .tcp)
    }
    var reported: Set<String> = []
    for warning in warnings where reported.insert(warning).inserted { log.warning("\(warning)") }
    for endpoint in server.tcp {
      if let note = policy.note(listening: endpoint, transport: .tcp) { log.notice("\(note)") }
    }
    return policy
  }
}

/// Options for how much a client of a server can do.
struct LimitOptions: ParsableArguments {
  @Option(
    help: """
      The maximum number of clients at once, including those that only watch. Default: 64. One \
      address, or one IPv6 network (/64), can have half of them, or eight if that is more; \
      programs on this computer can have all.
      """)
  var maxClients: Int?

  @Option(
    help: """
      The maximum length of a message in bytes. Default: 65536. Does not apply to bare TCP, which \
      has no messages.
      """)
  var maxMessage: Int?

  @Option(
    help: """
      The maximum number of messages a second from one client; 0 for no limit. Default: 10000, or \
      no limit with --raw. Does not apply to bare TCP, which has no messages.
      """)
  var maxRate: Int?

  @Option(
    help: """
      Close the connection of a client that sends nothing for this long, not even an answer to a \
      ping. Default: 300s. Bare TCP has no pings, so a client that only listens is closed too.
      """,
    transform: Interval.argument)
  var idleTimeout: Interval?

  func validate() throws {
    try UsageRule.check(
      UsageRule("--max-clients", maxClients, in: 1...100_000),
      UsageRule("--max-message", maxMessage, in: 16...(64 << 20)),
      UsageRule("--max-rate", maxRate, in: 0...1_000_000_000),
      UsageRule("--idle-timeout", idleTimeout, atLeast: "1s"))
  }

  var areGiven: Bool {
    maxClients != nil || maxMessage != nil || maxRate != nil || idleTimeout != nil
  }

  /// The limits for senders whose bytes are passed on unchanged, if `isRaw`.
  func limits(isRaw: Bool) -> Limits {
    var limits = Limits()
    if let maxClients { limits.clientsMax = maxClients }
    if let maxMessage { limits.messageBytesMax = maxMessage }
    // With raw bytes the network applies back pressure, so nothing has to be dropped.
    if isRaw { limits.messagesPerSecondMax = nil }
    if let maxRate { limits.messagesPerSecondMax = maxRate == 0 ? nil : maxRate }
    if let idleTimeout { limits.idleTime = idleTimeout }
    return limits
  }
}

/// Options for access over the network and for the limits on clients.
struct NetworkOptions: ParsableArguments {
  @OptionGroup(title: HelpGroup.network) var senders: SenderOptions
  @OptionGroup(title: HelpGroup.access) var access: AccessOptions
  @OptionGroup(title: HelpGroup.limits) var limits: LimitOptions

  /// Whether any of these options was given.
  var isGiven: Bool { access.allowAnonymous || areOthersGiven }

  /// Whether none of them but `--allow-anonymous` was given.
  var isGivenOnlyAnonymous: Bool { !areOthersGiven }

  private var areOthersGiven: Bool {
    senders.areGiven || access.areOthersGiven || limits.areGiven
  }

  /// Checks everything, and returns what the server listens on and whom it admits. Important
  /// warnings are written to the log.
  func server(webSocket: [String], log: Logger) throws(Failure) -> ServerConfiguration {
    var server = ServerConfiguration()
    server.webSocket = try Self.endpoints(webSocket)
    server.tcp = try Self.endpoints(senders.tcp)
    server.limits = limits.limits(isRaw: senders.raw)
    if let certificate = access.tlsCert, let key = access.tlsKey {
      try Outputs.spare([certificate, key])
      server.tls = TLSFiles(certificates: certificate, key: key)
    }
    let policy: AccessPolicy
    do throws(NetworkError) {
      if let detector = senders.detector {
        server.detector = try DetectorPlan(detector, allowsRemote: senders.remoteDetector)
        if let warning = server.detector?.warning { log.warning("\(warning)") }
      }
      // Checked before anything is opened or recorded.
      if !TLSLayer.isBuiltIn, access.isTLS {
        throw .builtWithoutTLS(access.tlsSelfSigned ? "--tls-self-signed" : "--tls-cert")
      }
      policy = try access.policy(of: server, log: log)
    } catch {
      throw Failure(error)
    }
    server.authorize(by: policy)
    if access.tlsSelfSigned {
      let names = CertificateNames.ofThisComputer(listeningOn: server.webSocket.map(\.host))
      let own = try OwnCertificate.make(for: names)
      server.tls = own.files
      server.invitation = PhoneInvitation(
        fingerprint: own.fingerprint, names: names, token: policy.tokens.first)
    }
    return server
  }

  private static func endpoints(_ texts: [String]) throws(Failure) -> [Endpoint] {
    try texts.map { (text) throws(Failure) in
      guard let endpoint = Endpoint(text) else {
        throw Failure(
          .usage,
          "error: \"\(text)\" is not an address to listen on; expected HOST:PORT, for example "
            + "127.0.0.1:12354 or [::1]:12354")
      }
      return endpoint
    }
  }

  func arbiterSettings(firmware: Firmware, baud: Int) -> ArbiterSettings {
    var plan = ArbiterSettings(firmware: firmware, baud: baud)
    plan.isRaw = senders.raw
    plan.control = senders.control
    plan.onDisconnect = senders.onDisconnect
    plan.allowsAnonymous = access.allowAnonymous
    return plan
  }
}
