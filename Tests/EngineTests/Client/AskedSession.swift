import Devices
import Judging
import Sketches
import Traces

@testable import Engine

/// A session on the model with a client, without a socket. Takes requests as text, and returns what
/// is written to the client. Time passes with `pass`.
final class AskedSession {
  var session: Session<SetBoard>

  /// `sketch` is the sketch's name in the session's header; nil for that of `firmware`. `pins` are
  /// those whose levels the session shows from its start on; nil if it shows none at all.
  init(
    _ firmware: Firmware = .classic, sketch: String? = nil, isVirtual: Bool = false,
    log: APILog = APILog(), pins: Set<BoardPin>? = nil
  ) {
    var header = Header(firmware: firmware, duration: nil, title: nil)
    if let sketch { header.set(sketch: sketch) }
    let kinds = Set(Output.Kind.allCases).subtracting(pins == nil ? [.pulse, .pin] : [.pulse])
    var setup = SessionSetup(
      firmware: firmware, profile: sketch.map { Profile(undescribed: $0) }, observes: kinds)
    setup.pins = .some(pins ?? [])
    var setting = APISetting(header: header, setup: setup, device: "model")
    setting.isVirtual = isVirtual
    setting.environment = [("SENTRY_PORT", "/tmp/port")]
    let device = SetBoard(
      ModelSource().makeDevice(for: header, firmware: firmware, showsPulses: false))
    session = Session(SessionStart(device: device, header: header, setup: setup))
    session.serve(APISession(setting, log: log))
    session.begin([]) { _ in }
    _ = session.takeEffects()
  }

  /// The pins that the session has begun to watch.
  var watched: [PinSelection] { session.board.device.watched }
  var isEnding: Bool { session.life.ending == .key }
  /// When the client must be answered even if nothing happens; nil if never.
  var nextDeadline: Instant? { session.nextDeadline(after: session.now) }

  /// Sends a line. Returns what is written to the client, line by line.
  func ask(_ line: String) -> [String] { ask(Array(line.utf8)) }

  func ask(_ line: [UInt8]) -> [String] { take(.line(.text(line)), at: session.now) }

  /// Sends a line when the clock's present is `clock`.
  func ask(_ line: String, at clock: Instant) -> [String] {
    take(.line(.text(Array(line.utf8))), at: clock)
  }

  /// Makes a request with the id 9.
  func ask(_ request: APIRequest) -> [String] {
    take(.request(.number("9"), request), at: session.now)
  }

  private func take(_ input: SessionInput, at clock: Instant) -> [String] {
    session.take(input, at: clock) { _ in }
    return written()
  }

  /// Lets time pass, in milliseconds since the start.
  func pass(to milliseconds: Int64) -> [String] {
    session.advance(to: .zero + .milliseconds(milliseconds)) { _ in }
    return written()
  }

  /// Ends the session.
  func end(status: ExitStatus = .agree) -> [String] {
    session.finish(at: session.now) { _ in }
    _ = session.judgeClientRules()
    let last = session.lastMessage(status).map { [Self.text($0)] } ?? []
    return written() + last
  }

  func leave(isLast: Bool = false) {
    _ = take(.clientLeft(isLast: isLast), at: session.now)
    decide()
  }

  /// Lets the session decide whether it ends.
  func decide() { session.decide(at: session.now) { _ in } }

  /// What was written to the client since the last call. A picture and an opened trace are noted by
  /// their effects.
  private func written() -> [String] {
    session.takeEffects().compactMap { effect in
      switch effect {
      case .answer(let message): Self.text(message)
      case .plot(let trace, _): "plot " + String(decoding: trace, as: UTF8.self)
      case .openTraces(let rule, _): "open \(rule)"
      default: nil
      }
    }
  }

  private static func text(_ message: APIMessage) -> String {
    String(decoding: message.line.dropLast(), as: UTF8.self)
  }
}
