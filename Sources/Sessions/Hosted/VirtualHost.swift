import Devices
package import Engine
import Sketches

/// A session in virtual time for a caller in the same process. Time passes only while the caller
/// waits for an answer, or requests it.
package final class VirtualHost {
  private let mailbox: Mailbox
  private let steps: any Steps
  private var ending: HostedEnding?

  package init(_ plan: HostedPlan) throws {
    mailbox = try Mailbox()
    steps = try Self.steps(on: plan.source, plan, mailbox)
  }

  private static func steps(
    on source: some DeviceSource, _ plan: HostedPlan, _ mailbox: Mailbox
  ) throws -> any Steps {
    try VirtualBench<_>(
      plan.session, on: source, for: mailbox, showsTrace: false, recording: nil)
  }

  /// Makes a request. Time passes until it is answered. Throws `APIRequest.Mistake`.
  package func ask(_ request: APIRequest) throws -> APIAnswer {
    let reply = Reply()
    mailbox.ask(request) { reply.take($0) }
    var message = reply.taken
    if message == nil, try steps.turn() {
      message = reply.taken
      while message == nil, try steps.pass() { message = reply.taken }
    }
    switch message ?? reply.taken {
    case .answer(_, let answer)?: return answer
    case .refusal(let mistake)?: throw mistake
    default:
      throw APIRequest.Mistake(
        id: nil, message: "nothing further will happen that could decide this")
    }
  }

  /// Ends the session. Can be called again.
  package func end() -> HostedEnding {
    if let ending { return ending }
    var failure: Failure?
    do throws(Failure) {
      mailbox.ask(.end) { _ in }
      _ = try steps.turn()
      try steps.conclude()
    } catch {
      if error.status != .disagree { failure = error }
    }
    mailbox.close("the session is over")
    let ending = HostedEnding(end: mailbox.end, failure: failure, remarks: mailbox.remarks)
    self.ending = ending
    return ending
  }
}

/// A bench whose device is of any kind.
private protocol Steps {
  /// Handles requests. Returns whether the session continues.
  func turn() throws(Failure) -> Bool
  /// Lets time pass until something happens. Returns false if nothing will.
  func pass() throws(Failure) -> Bool
  func conclude() throws(Failure)
}

extension VirtualBench: Steps {}
