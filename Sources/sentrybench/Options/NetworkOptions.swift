import ArgumentParser
import Engine
import Logging
import Network
import Sessions
import Sketches
import Traces

/// Options for what a server of senders does.
struct SenderOptions: ParsableArguments {
  @Option(
    name: .customLong("tcp"),
    help: ArgumentHelp(
      """
      Also accept senders over bare TCP on this address. Can be given more than once. TCP has no \
      access control: no tokens and no TLS. A connection that begins as HTTP, TLS or WebRTC, as \
      that of a web page does, is refused. TCP has no messages, so of --limits only clients and \
      idle apply.
      """, valueName: "host:port"))
  var tcp: [String] = []

  @Flag(
    help: """
      Pass bytes on unchanged, for tests of the firmware itself. By default only whole commands \
      reach the board, and the newest aim wins. With --raw nothing is replaced, and bytes are \
      refused only from a client without control and while the board is disconnected. There is no \
      default for the rate of --limits: the gateway stops reading from a client that is 65536 \
      bytes ahead of the line until the line has caught up. The bytes of a client that has left \
      are sent for 30 s at most.
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
      What the turret does when the client in control disconnects, and at the end: hold, sweep or \
      centre.
      """)
  var onDisconnect = DisconnectAction.hold

  @Option(
    help: ArgumentHelp(
      """
      Pass the pictures of /detect to this detector, such as sentry-camera serve, and its answers \
      back. Only the client in control can send pictures, at most 15 a second. The detector must \
      be on this computer, unless --allow remote-detector is given.
      """, valueName: "ws://host:port"))
  var detector: String?

  var areGiven: Bool {
    !tcp.isEmpty || raw || control != .first || onDisconnect != .hold || detector != nil
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

  @Option(
    help: ArgumentHelp(
      """
      What is refused otherwise: anonymous, clients without a token, as the phone app and bare TCP \
      have none (anyone who can reach the address can then move the turret); origin=ORIGIN, web \
      pages of this origin, for example https://turret.example (/health and /metrics can then be \
      read under that name without a token, as they can under an IP address, localhost, this \
      computer's own .local name, or a name in --listen); remote-detector, a --detector on another \
      computer (pictures of people then cross the network without encryption). Can be given more \
      than once.
      """, valueName: "anonymous|origin=ORIGIN|remote-detector"),
    completion: .list(["anonymous", "origin=", "remote-detector"]), transform: Allowances.list)
  private var allow: [SettingList<Allowances>] = []

  @Option(
    help: ArgumentHelp(
      """
      Serve TLS. With cert=FILE,key=FILE: with this certificate chain and its private key, in PEM \
      form. With self-signed: with a certificate that this computer signs itself, for its own \
      names and addresses. The openssl program makes it; it is kept in \
      $XDG_STATE_HOME/sentrybench/tls and used again while it is valid. On a terminal, its \
      fingerprint and the address with a token are printed, with a QR code if the qrencode program \
      is installed.
      """, valueName: "cert=FILE,key=FILE|self-signed"), completion: .file(),
    transform: Certificate.list)
  private var tls: [SettingList<Certificate>] = []

  @Option(
    help: ArgumentHelp(
      """
      What clients can do, for example clients=8,idle=60s. clients: how many at once, including \
      those that only watch (default: 64; one address, or one IPv6 network (/64), can have half \
      of them, or eight if that is more, and programs on this computer can have all). message: \
      the bytes of one message (default: 65536). rate: the messages a second of one client, 0 for \
      no limit (default: 10000, or no limit with --raw). idle: how long a client can send \
      nothing, not even an answer to a ping (default: 300s; bare TCP has no pings, so a client \
      that only listens is closed too). message and rate do not apply to bare TCP, which has no \
      messages. Can be given more than once.
      """, valueName: "limit=value,..."), transform: Limits.list)
  private var limits: [SettingList<Limits>] = []

  func validate() throws {
    let certificate = certificate
    try UsageRule.check(
      UsageRule(
        brokenIf: (certificate.chain == nil) != (certificate.key == nil),
        "--tls: cert= and key= require each other."),
      UsageRule(
        "--tls self-signed", certificate.isSelfSigned, excludes: "--tls cert=", certificate.chain))
  }

  var allowsAnonymous: Bool { allowed.isAnonymous }

  var allowed: Allowances {
    var allowed = Allowances()
    allow.apply(to: &allowed)
    return allowed
  }

  var certificate: Certificate {
    var certificate = Certificate()
    tls.apply(to: &certificate)
    return certificate
  }

  /// The limits for senders whose bytes are passed on unchanged, if `isRaw`.
  func limits(isRaw: Bool) -> Limits {
    var limits = Limits()
    // With raw bytes the network applies back pressure, so nothing has to be dropped.
    if isRaw { limits.messagesPerSecondMax = nil }
    self.limits.apply(to: &limits)
    return limits
  }

  var areGiven: Bool { tokenFile != nil || !allow.isEmpty || !tls.isEmpty || !limits.isEmpty }

  /// Whether only `--allow anonymous` is given, which `run --rfc2217` requires too.
  var areOnlyAnonymous: Bool {
    tokenFile == nil && allowed == Allowances(isAnonymous: true) && tls.isEmpty && limits.isEmpty
  }

  /// Checks it for the addresses of a server.
  func policy(of server: ServerConfiguration, log: Logger) throws(NetworkError) -> AccessPolicy {
    var policy = AccessPolicy()
    policy.allowsAnonymous = allowsAnonymous
    policy.allowedOrigins = allowed.origins
    policy.ownHosts = server.webSocket.map(\.host)
    policy.localName = LocalName.ofThisComputer
    policy.isTLS = certificate.isGiven
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

/// What a server refuses unless `--allow` names it.
struct Allowances: Equatable {
  var isAnonymous = false
  var origins: [String] = []
  var hasRemoteDetector = false

  @Sendable static func list(_ text: String) throws -> SettingList<Self> {
    try SettingList(
      text,
      of: [
        Setting(flag: "anonymous", \.isAnonymous),
        Setting("origin", "an origin, for example https://turret.example") { origin in
          { $0.origins.append(origin) }
        },
        Setting(flag: "remote-detector", \.hasRemoteDetector),
      ])
  }
}

/// What `--tls` states.
struct Certificate {
  /// The paths of the PEM files.
  var chain: String?
  var key: String?
  var isSelfSigned = false

  var isGiven: Bool { chain != nil || isSelfSigned }

  @Sendable static func list(_ text: String) throws -> SettingList<Self> {
    try SettingList(
      text,
      of: [
        Setting("cert", path: \.chain), Setting("key", path: \.key),
        Setting(flag: "self-signed", \.isSelfSigned),
      ])
  }
}

extension Limits {
  @Sendable static func list(_ text: String) throws -> SettingList<Self> {
    let rates = 0...1_000_000_000
    return try SettingList(
      text,
      of: [
        Setting("clients", \.clientsMax, in: 1...100_000),
        Setting("message", \.messageBytesMax, in: 16...(64 << 20)),
        Setting("rate", \.messagesPerSecondMax, "a number from 0 to \(rates.upperBound)") { text in
          Int(text).flatMap { rates.contains($0) ? .some($0 == 0 ? nil : $0) : nil }
        },
        Setting("idle", \.idleTime, "a time of at least 1s") { (text) -> Interval?? in
          guard let time = Interval(withUnit: text), time >= .seconds(1) else { return .none }
          return .some(time)
        },
      ])
  }
}

/// A command that serves senders over the network.
protocol ServesSenders: ParsableCommand {
  var senders: SenderOptions { get }
  var access: AccessOptions { get }
}

extension ServesSenders {
  var remoteDetectorRule: UsageRule {
    UsageRule(
      "--allow remote-detector", access.allowed.hasRemoteDetector, requires: "--detector",
      senders.detector)
  }

  /// Checks everything, and returns what the server listens on and whom it admits. Important
  /// warnings are written to the log.
  func server(webSocket: [String], log: Logger) throws(Failure) -> ServerConfiguration {
    var server = ServerConfiguration()
    server.webSocket = try Self.endpoints(webSocket)
    server.tcp = try Self.endpoints(senders.tcp)
    let certificate = access.certificate
    server.limits = access.limits(isRaw: senders.raw)
    if let chain = certificate.chain, let key = certificate.key {
      try Outputs.spare([chain, key])
      server.tls = TLSFiles(certificates: chain, key: key)
    }
    let policy: AccessPolicy
    do throws(NetworkError) {
      if let detector = senders.detector {
        server.detector = try DetectorPlan(detector, allowsRemote: access.allowed.hasRemoteDetector)
        if let warning = server.detector?.warning { log.warning("\(warning)") }
      }
      // Checked before anything is opened or recorded.
      if !TLSLayer.isBuiltIn, certificate.isGiven {
        throw .builtWithoutTLS(certificate.isSelfSigned ? "--tls self-signed" : "--tls cert=")
      }
      policy = try access.policy(of: server, log: log)
    } catch {
      throw Failure(error)
    }
    server.authorize(by: policy)
    if certificate.isSelfSigned {
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
    plan.allowsAnonymous = access.allowsAnonymous
    return plan
  }
}
