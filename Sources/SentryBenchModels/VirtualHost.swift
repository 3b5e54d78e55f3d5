import Devices
import Engine
import Pictures
import Sketches
import Traces

/// A session in virtual time for a test. Time passes only while the test waits for an answer, or
/// requests it.
protocol VirtualHost: AnyObject {
  /// Makes a request. Time passes until it is answered. Throws `APIRequest.Mistake`.
  func ask(_ request: APIRequest) throws(APIRequest.Mistake) -> APIAnswer
  /// Ends the session, and judges its rules.
  func end() -> VirtualEnding
}

/// How a session for a test ended.
struct VirtualEnding {
  var end: APIEnd?
  /// Why the device could not continue; nil if it could.
  var failure: DeviceError?
}

/// A session on a device of one kind.
final class DeviceHost<D: RealTimeDevice>: VirtualHost {
  typealias TraceOpener = (String) throws(TraceError) -> TraceReader

  private var session: Session<D>
  private let open: TraceOpener
  private var requestCount = 0
  /// The answers that have not been fetched.
  private var answers: [APIRequest.ID: APIMessage] = [:]
  private var outcome: APIEnd?

  /// `open` opens the traces that rules name.
  init<Source: DeviceSource>(
    _ plan: SessionPlan, on source: Source, open: @escaping TraceOpener
  ) throws(DeviceError) where Source.Made == D {
    session = Session(inVirtualTime: try plan.begin(on: source), on: source.name)
    self.open = open
    session.begin(source.inputs, source.findFormat()) { _ in }
  }

  func ask(_ request: APIRequest) throws(APIRequest.Mistake) -> APIAnswer {
    let id = APIRequest.ID.number("\(requestCount)")
    requestCount += 1
    session.take(.request(id, request), at: session.now) { _ in }
    carryOutEffects()
    session.decide(at: session.now) { _ in }
    pass(to: session.now)
    while answers[id] == nil, session.life.ending == nil, let next = session.nextInstant {
      pass(to: next)
    }
    switch answers.removeValue(forKey: id) {
    case .answer(_, let answer)?: return answer
    case .refusal(let mistake)?: throw mistake
    default:
      throw APIRequest.Mistake(
        id: nil, message: "nothing further will happen that could decide this")
    }
  }

  func end() -> VirtualEnding {
    _ = try? ask(.end)
    session.finish(at: session.now) { _ in }
    let hasFailed = session.judgeClientRules()
    carryOutEffects()
    let fault = session.board.fault
    let status = fault.map { ExitStatus($0) } ?? (hasFailed ? .disagree : .agree)
    if let message = session.lastMessage(status) { take(message) }
    return VirtualEnding(end: outcome, failure: fault)
  }

  private func pass(to instant: Instant) {
    session.pass(to: instant) { _ in }
    carryOutEffects()
  }

  private func carryOutEffects() {
    var effects = session.takeEffects()
    while !effects.isEmpty {
      for effect in effects {
        switch effect {
        case .answer(let message): take(message)
        case .plot(let trace, let id): take(picture(of: trace, for: id))
        case .openTraces(let rule, let id):
          let refusal = session.openTraces(of: rule, for: id, open) { _ in }
          if let refusal { take(refusal) }
        default: break
        }
      }
      effects = session.takeEffects()
    }
  }

  private func picture(of trace: [UInt8], for id: APIRequest.ID) -> APIMessage {
    guard let setting = session.clientSetting else { return .refusal(.init(id: id, message: "")) }
    do throws(TraceError) {
      let svg = try SessionPicture.svg(of: trace, setting.setup, named: setting.device)
      return .answer(id, .picture(svg))
    } catch {
      return .refusal(APIRequest.Mistake(id: id, message: error.description))
    }
  }

  private func take(_ message: APIMessage) {
    switch message {
    case .answer(let id, let answer):
      if case .over(let end) = answer { outcome = end }
      answers[id] = message
    case .refusal(let mistake): if let id = mistake.id { answers[id] = message }
    case .over(let end): outcome = end
    // The end reports every failure, and a test does not subscribe.
    case .verdict, .events, .lost: break
    }
  }
}
