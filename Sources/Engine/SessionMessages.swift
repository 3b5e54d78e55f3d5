package import Devices
package import Judging
package import Sketches
import Traces

/// A way by which bytes reach a session's board.
package enum SessionLink: Hashable, Sendable {
  /// A program that has the pty open.
  case pty
  /// A client of the port over TCP (RFC 2217).
  case remote
  /// A WebSocket or TCP client.
  case network
  /// The client that makes requests.
  case client
}

/// What a session's driver waits for between two turns.
package struct SessionWait: Hashable, Sendable {
  /// When the session must advance even if nothing arrives; nil if never.
  package var deadline: Instant?
  /// Whether it must advance at once, because the board is behind.
  package var isBehind: Bool
  /// Readable when the board has sent something; nil if there is no such descriptor, or a board
  /// that has failed.
  package var descriptor: CInt?
  /// Whether the session takes bytes of a program that has the pty open.
  package var hasRoom: Bool
  /// Whether events wait for a client that reads slowly.
  package var isClientBehind: Bool
  /// How long after an instant the board's outputs can still appear.
  package var lag: Interval
}

/// How a program reads what the board sends.
package struct LineReader: Hashable, Sendable {
  /// In bits a second.
  package var baud: Int
  /// Nil for the board's.
  package var format: LineFormat?

  package init(baud: Int, format: LineFormat? = nil) {
    self.baud = baud
    self.format = format
  }
}

/// What a board has sent, and what the programs at the ports receive of it.
package struct BoardDelivery: Hashable, Sendable {
  package var bytes: [UInt8]
  package internal(set) var pty: [UInt8] = []
  package internal(set) var remote: [UInt8] = []
}

/// What arrives at a session.
package enum SessionInput: Sendable {
  /// A sender has opened or closed the pty.
  case opened
  case closed
  case bytes([UInt8], SessionLink)
  /// The sender's speed, in bits a second.
  case speed(Int, SessionLink)
  case format(LineFormat, SessionLink)
  /// A client of RFC 2217 holds the line low until the break ends.
  case breakBegan
  case breakEnded
  /// A client of RFC 2217 has set DTR, or connected.
  case dtr
  /// A level or a voltage on a pin.
  case level(BoardInput)
  /// What a network client does.
  case network(Arbiter.Event)
  /// A request of a client, as a line or as a value.
  case line(APILines.Line)
  case request(APIRequest.ID, APIRequest)
  /// The opened traces, for `SessionEffect.openTraces`.
  case traces(SessionRules, for: APIRequest.ID)
  /// The client has left. `isLast`: no other can follow.
  case clientLeft(isLast: Bool)
  case signal(CInt)
  /// The command after `--` has ended.
  case commandEnded
  /// The view's key that ends the session was pressed.
  case endKey
  /// The scene of a rig has taken its length.
  case sceneOver
  /// A board was looked for and not found.
  case boardIsStillAway
}

/// What a session's driver has to do.
package enum SessionEffect: Sendable {
  /// Report a line to the user.
  case remark(String)
  /// The supply has failed. The adapter between the computer and the board may have, too.
  case powerFailed(PowerFailure)
  /// Send a message to the client.
  case answer(APIMessage)
  /// Do something for a network client.
  case network(Arbiter.Action)
  /// Draw the trace, and answer the request.
  case plot([UInt8], for: APIRequest.ID)
  /// Open the traces that a rule names. Then pass the rule to the session, or answer the request.
  case openTraces(of: Rule, for: APIRequest.ID)
  /// Start the command after `--`.
  case startCommand
  /// Report that the board is disconnected.
  case boardIsGone(DeviceError)
  /// Look for the board. Then let it rejoin, or pass on `boardIsStillAway`.
  case lookForBoard
  /// End the session at this instant of its own time.
  case end(at: Instant)
}
