import Devices
import Engine
import Network
import Serial
import Sketches
import Traces

// What people see of the session: the view, the dashboards, and the network's status.
extension LiveBench {
  /// Sets what the network's status requests report.
  func setStatus() {
    guard let network else { return }
    (network.benchStatus.boardFailure, network.benchStatus.degrees) = look {
      ($0.board.device.fault?.description, $0.counts.degrees)
    }
    network.benchStatus.recording = outputs.recordingHealth
  }

  /// Reports a board that is slower than real time, when the clock's present is `clock`.
  func reportBacklog(at clock: Instant) {
    backlog.note(look { $0.board.isBehind ? clock - $0.now : .zero })
    if let line = backlog.takeReport() { report(line) }
  }

  /// Shows the state at `now` on the dashboards, when the clock's present is `clock`.
  func showDashboards(at now: Instant, _ clock: Instant) {
    guard let network, network.dashboards.isWatched,
      let message = outputs.dashboard?.message(
        of: session, lateness: pacer.lateness,
        withHistory: network.dashboards.needsHistory, at: now, clock: clock)
    else { return }
    network.show(message)
  }

  func draw(at now: Instant, _ clock: Instant) {
    view?.draw(
      session,
      clients: (pty?.clientCount ?? 0) + (remote?.isOpen == true ? 1 : 0)
        + (network?.count ?? 0),
      lateness: pacer.lateness, behind: backlog.behind, at: now, clock: clock)
  }
}

// The keys of the view: one rewinds the session, one ends it, and digits change pins, as another
// program can.
extension LiveBench {
  /// How far one key press rewinds the session.
  private static var stepBack: Interval { .seconds(5) }

  /// Keeps the present state, to rewind to.
  func remember(at now: Instant) {
    guard let view, refusalToGoBack == nil else { return }
    history.keep(LiveMoment(session: session, shaft: view.shaft), at: now)
  }

  func obeyKeys() {
    let keys = view?.takeKeys { line in
      // As from a program at the pty, which has room for so many.
      if line.count <= look({ $0.credit(.pty) }) {
        take(.bytes(line, .pty))
      } else {
        view?.showNotice("The line is full: nothing was sent.")
      }
    }
    for key in keys ?? [] {
      switch key {
      case UInt8(ascii: "b"): goBack()
      case UInt8(ascii: "q"): take(.endKey)
      default:
        if let input = pinKeys.press(key) {
          take(.level(input))
          view?.showNotice(PinKeys.notice(input))
        }
      }
    }
  }

  /// Takes the inputs of the board that another program has written, and those of dashboards. A
  /// dashboard's that the board cannot take are ignored.
  func takePinInputs() {
    for arrival in pinInputs?.look() ?? [] {
      switch arrival {
      case .input(let input):
        if let reason = session.board.device.capabilities.refusal(of: input) {
          report("--inputs: an input is ignored: \(reason)")
        } else {
          take(.level(input))
        }
      case .mistake(let message): report(message)
      }
    }
    for line in network?.takeInputs() ?? [] {
      guard let event = try? Event(untimed: line, path: "dashboard"),
        case .input(let input) = event.kind,
        session.board.device.capabilities.refusal(of: input) == nil
      else { continue }
      take(.level(input))
    }
  }

  /// Continues the session from an earlier moment, with the clock, the board and the bytes on their
  /// way as they were then. Settings that senders have made on the port since are kept.
  private func goBack() {
    if let refusal = refusalToGoBack ?? network?.refusalToGoBack {
      view?.showNotice(refusal)
      return
    }
    let now = self.now
    guard let (time, moment) = history.goBack(to: now - Self.stepBack), time < now else { return }
    let interval = pacer.now - time
    pacer.goBack(by: interval)
    backlog = BoardBacklog()
    outputs.goBack(to: moment, at: time)
    view?.goBack(to: moment)
    network?.rewound()
    session.goBack(to: moment.session, by: interval, at: pacer.now) { outputs.put($0) }
    view?.showNotice(
      "Rewound to \(time.nanoseconds / 1_000_000_000) s; press b again to go further.")
  }
}

/// The complete state of a live session at one moment, to rewind to.
struct LiveMoment<D: RealTimeDevice>: Sendable {
  var session: Session<D>
  var shaft: Shaft
}
