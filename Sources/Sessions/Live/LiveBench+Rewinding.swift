import Devices
import Traces
import Turret

// The key that takes the session back.
extension LiveBench {
  /// How far a key takes the session back.
  private static var stepBack: Interval { .seconds(5) }

  /// Keeps what the session is now, to go back to.
  func remember(at now: Instant) {
    guard let view, plan.refusalToGoBack == nil else { return }
    history.keep(
      LiveMoment(
        session: session, counts: outputs.counts, toSender: outputs.toSender, shaft: view.shaft,
        senderBaud: senderBaud),
      at: now)
  }

  func obeyKeys() {
    for key in view?.takeKeys() ?? [] where key == UInt8(ascii: "b") { goBack() }
  }

  /// The session goes on from an earlier moment: with the clock, the board and the bytes that were
  /// under way then. What senders have set the port to since stays.
  private func goBack() {
    if let refusal = plan.refusalToGoBack {
      view?.say(refusal)
      return
    }
    let now = pacer.now
    guard let (time, moment) = history.goBack(to: now - Self.stepBack), time < now else { return }
    pacer.goBack(by: now - time)
    session = moment.session
    outputs.goBack(to: moment)
    view?.goBack(to: moment)
    if senderBaud != moment.senderBaud { take(.baud(senderBaud)) }
    view?.say("Back at \(time.nanoseconds / 1_000_000_000) s, as it was then; b goes back further.")
  }
}
