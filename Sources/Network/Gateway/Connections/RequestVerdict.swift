import NIOHTTP1

/// The decision on a request, from its head alone.
enum RequestVerdict: Equatable, Sendable {
  /// An upgrade to WebSocket, for a client that controls or one that watches.
  case upgrade(Role)
  case health
  case metrics
  /// The last minutes of the session, as a trace.
  case session
  /// The pictures of the session's camera as a stream, and the newest one alone.
  case camera
  case picture
  case refuse(HTTPReply)

  enum Role: Hashable, Sendable {
    case control, watch
    /// As `control`, with pictures for a detector.
    case detect
    /// A dashboard, which watches the session's state.
    case dashboard

    var path: String {
      switch self {
      case .control: "/"
      case .detect: "/detect"
      case .watch, .dashboard: "/events"
      }
    }

    /// Whether the client can send commands.
    var isSender: Bool {
      switch self {
      case .control, .detect: true
      case .watch, .dashboard: false
      }
    }
  }

  /// - Parameters:
  ///   - hasDetector: whether pictures are accepted.
  ///   - hasCamera: whether the session has a camera.
  init(_ head: HTTPRequestHead, hasDetector: Bool = false, hasCamera: Bool = false) {
    if let reply = Self.flaw(of: head) {
      self = .refuse(reply)
      return
    }
    switch RequestTarget(head.uri)?.path {
    case "/": self = Self.upgrade(head, to: .control)
    case "/events": self = Self.events(head)
    case "/detect" where hasDetector: self = Self.upgrade(head, to: .detect)
    case "/detect":
      let sentence = "There is no detector: start the gateway with --detector ws://HOST:PORT."
      self = .refuse(HTTPReply(404, sentence + "\n"))
    case "/health": self = Self.page(head) ?? .health
    case "/metrics": self = Self.page(head) ?? .metrics
    case "/session.jsonl": self = Self.page(head) ?? .session
    case "/camera.mjpg" where hasCamera: self = Self.page(head) ?? .camera
    case "/camera.jpg" where hasCamera: self = Self.page(head) ?? .picture
    case let path? where Self.cameraPaths.contains(path):
      self = .refuse(HTTPReply(404, "There is no camera: sentrybench run --rig has one.\n"))
    default:
      let paths =
        ["/"] + PageTable.pageFolders.map { "/\($0)/" }
        + (hasCamera ? Self.cameraPaths : [])
        + ["/detect", "/events", "/health", "/metrics"]
      let list = paths.joined(separator: ", ")
      self = .refuse(HTTPReply(404, "The paths are \(list) and /session.jsonl.\n"))
    }
  }

  /// Where the camera is. Whoever reads it first begins the scene.
  static let cameraPaths = ["/camera.jpg", "/camera.mjpg"]

  /// The answer to an invalid request, whoever sent it; nil if it is valid.
  static func flaw(of head: HTTPRequestHead) -> HTTPReply? {
    guard RequestTarget(head.uri) != nil else {
      return HTTPReply(400, "Invalid request target: a path such as /health is expected.\n")
    }
    let hosts = head.headers["host"].count
    // RFC 9112, 3.2. Versions before HTTP/1.1 had no `Host`.
    let isOld = head.version == .http1_0 || head.version == .http0_9
    guard hosts == 1 || hosts == 0 && isOld else {
      return HTTPReply(400, "An HTTP/1.1 request requires exactly one Host field.\n")
    }
    return nil
  }

  private static func events(_ head: HTTPRequestHead) -> RequestVerdict {
    switch RequestTarget(head.uri)?.item("as") {
    case .absent, nil, .value("trace"): upgrade(head, to: .watch)
    case .value("dashboard"): upgrade(head, to: .dashboard)
    case .value, .repeated, .malformed:
      .refuse(HTTPReply(400, "`as` must be trace or dashboard.\n"))
    }
  }

  private static func page(_ head: HTTPRequestHead) -> RequestVerdict? {
    head.method == .GET || head.method == .HEAD ? nil : .refuse(.onlyReads)
  }

  private static func upgrade(_ head: HTTPRequestHead, to role: Role) -> RequestVerdict {
    guard head.method == .GET else {
      return .refuse(
        HTTPReply(405, "A WebSocket handshake requires GET.\n", fields: ["Allow": "GET"]))
    }
    do throws(Handshake.Flaw) {
      try Handshake.check(head)
      return .upgrade(role)
    } catch {
      return .refuse(error.reply)
    }
  }
}
