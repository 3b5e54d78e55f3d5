import Devices
import Engine
import Gateway
import Traces
import Turret

// The keys of the view: one rewinds the session, one ends it, and digits change pins, as another
// program can.
extension LiveBench {
  /// How far one key press rewinds the session.
  private static var stepBack: Interval { .seconds(5) }

  /// Keeps the present state, to rewind to.
  func remember(at now: Instant) {
    guard let view, surroundings.refusalToGoBack == nil else { return }
    history.keep(
      LiveMoment(
        session: session, counts: outputs.counts, toSender: outputs.toSender, shaft: view.shaft),
      at: now)
  }

  func obeyKeys() {
    for key in view?.takeKeys() ?? [] {
      switch key {
      case UInt8(ascii: "b"): goBack()
      case UInt8(ascii: "q"): isEndRequested = true
      default:
        if let input = pinKeys.press(key) {
          take(.input(input))
          view?.showNotice(PinKeys.notice(input))
        }
      }
    }
  }

  /// Takes the levels and voltages that another program has written.
  func takePinInputs() {
    for arrival in pinInputs?.look() ?? [] {
      switch arrival {
      case .input(let input): take(.input(input))
      case .mistake(let message): report(message)
      }
    }
  }

  /// Continues the session from an earlier moment, with the clock, the board and the bytes on their
  /// way as they were then. Settings that senders have made on the port since are kept.
  private func goBack() {
    if let refusal = surroundings.refusalToGoBack ?? network?.refusalToGoBack {
      view?.showNotice(refusal)
      return
    }
    let now = self.now
    guard let (time, moment) = history.goBack(to: now - Self.stepBack), time < now else { return }
    pacer.goBack(by: pacer.now - time)
    backlog = BoardBacklog()
    let later = session
    session = moment.session
    outputs.goBack(to: moment, at: time)
    ptyReceiver = PortReceiver(baud: plan.session.baud)
    remoteReceiver = PortReceiver(baud: plan.session.baud)
    view?.goBack(to: moment)
    network?.wentBack()
    session.keepPort(of: later, at: self.now) { outputs.put($0) }
    view?.showNotice(
      "Rewound to \(time.nanoseconds / 1_000_000_000) s; press b again to go further.")
  }
}
