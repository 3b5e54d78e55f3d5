import NIOHTTP1

/// What a request comes to, by its head alone.
enum RequestVerdict: Hashable, Sendable {
  /// The upgrade to WebSocket, of one who controls or one who watches.
  case upgrade(Role)
  case health
  case metrics
  case refuse(HTTPReply)

  enum Role: Hashable, Sendable {
    case control, watch
  }

  init(_ head: HTTPRequestHead) {
    switch Self.path(of: head.uri) {
    case nil: self = .refuse(HTTPReply(400, "The request's target is none.\n"))
    case "/": self = Self.upgrade(head, to: .control)
    case "/events": self = Self.upgrade(head, to: .watch)
    case "/health": self = Self.page(head) ?? .health
    case "/metrics": self = Self.page(head) ?? .metrics
    default: self = .refuse(HTTPReply(404, "There is /, /events, /health and /metrics.\n"))
    }
  }

  /// The part of a request's target before its query; nil where it is no target.
  static func path(of target: String) -> String? { RequestTarget(target)?.path }

  private static func page(_ head: HTTPRequestHead) -> RequestVerdict? {
    guard head.method != .GET, head.method != .HEAD else { return nil }
    return .refuse(
      HTTPReply(
        405, "This is only for reading.\n", fields: [.init(name: "Allow", value: "GET, HEAD")]))
  }

  private static func upgrade(_ head: HTTPRequestHead, to role: Role) -> RequestVerdict {
    guard head.method == .GET else {
      return .refuse(
        HTTPReply(
          405, "A WebSocket begins with GET.\n", fields: [.init(name: "Allow", value: "GET")]))
    }
    do throws(Handshake.Flaw) {
      try Handshake.check(head)
      return .upgrade(role)
    } catch {
      return .refuse(error.reply)
    }
  }
}
