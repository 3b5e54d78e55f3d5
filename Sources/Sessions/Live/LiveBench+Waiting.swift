import Devices
import Gateway
import Serial
import SystemPackage
import Turret

// What the bench waits for between two turns.
extension LiveBench {
  /// How soon a slow reader of the trace is tried again.
  private static let watchPeriod = Interval.milliseconds(20)

  /// What to wait for before the next turn.
  var needs: LiveNeeds {
    let hasRoom = session.onTheWayCount < Self.waitingMax
    let due = session.nextDeadline
    let others = [
      life.nextDeadline(after: pacer.now),
      outputs.nextRecordingTry.map { $0 + session.device.lag },
      outputs.toSender.nextDeadline,
      network?.nextDeadline.map { pacer.now + ($0 - .now) }, view?.nextFrame(after: pacer.now),
      session.device.patience.map { pacer.now + $0 },
      outputs.isBehind ? pacer.now + Self.watchPeriod : nil,
    ]
    let next = (others + [due.map { pacer.wakeUp(for: $0) }]).compactMap { $0 }.min()
    var descriptors = (door?.descriptors(hasRoom: hasRoom) ?? []) + [signals]
    if let keys = view?.keyDescriptor { descriptors.append(keys) }
    let device = session.device
    let board = device.fault == nil ? device.descriptor.map(FileDescriptor.init(rawValue:)) : nil
    return LiveNeeds(
      timeout: next == .distantFuture ? nil : next.map { $0 - pacer.now },
      descriptors: descriptors, board: board, due: due)
  }

  /// What was waited for has come, or with `isTimeout` its time. `due`: when the device has
  /// something to do, as `needs` said.
  func woke(isTimeout: Bool, due: Instant?) {
    arrivedSignals += SignalQueue.take(from: signals)
    // After a stop (Ctrl-Z) the bench catches up; it was not the waiting that was late.
    if isTimeout, arrivedSignals.isEmpty, let due { pacer.woke(for: due) }
  }
}
