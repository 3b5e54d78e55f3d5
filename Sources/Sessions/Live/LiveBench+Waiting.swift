import Devices
import Engine
import Gateway
import Networking
import Platform
import RemotePorts
import Serial
import SystemPackage
import Turret

// The wait between two turns, for the loop that runs the bench.
extension LiveBench {
  /// The time until a slow reader of the trace or of standard error is tried again.
  private static var watchPeriod: Interval { .milliseconds(20) }

  @Sendable static func wait(_ descriptors: [CInt]) -> [CInt] {
    Poller.readable(of: descriptors)
  }

  /// Takes bytes from the board that were read elsewhere.
  func arrived(_ bytes: [UInt8]) { session.arrived(bytes) }

  /// What to wait for before the next turn.
  var waitPlan: TurnPlan {
    let hasRoom = session.credit > 0
    let others = [
      life.nextDeadline(after: pacer.now),
      outputs.nextRecordingTry.map { $0 + session.device.capabilities.lag },
      outputs.toSender.nextDeadline, ptyReceiver.nextDeadline, remoteReceiver.nextDeadline,
      network?.nextDeadline.map { pacer.now + ($0 - .now) }, view?.nextRedraw(after: pacer.now),
      network?.dashboards.isWatched == true
        ? outputs.dashboard?.nextMessage(after: pacer.now) : nil,
      session.device.patience.map { pacer.now + $0 },
      api?.nextDeadline.map { $0 + session.device.capabilities.lag },
      outputs.isBehind || api?.isBehind == true || command.errors?.isStalled == true
        || remote?.needsRetry == true || (remote?.waitingCount ?? 0) > 0
        ? pacer.now + Self.watchPeriod : nil,
      remote?.deadline.map { pacer.now + ($0 - .now) },
    ]
    let next =
      session.isBehind
      ? pacer.now : (others + [due.map { pacer.wakeUp(for: $0) }]).compactMap { $0 }.min()
    var descriptors = pty?.descriptors(hasRoom: hasRoom) ?? []
    if let signals { descriptors.append(signals) }
    if let keys = view?.keyDescriptor { descriptors.append(keys) }
    if let errors = command.errors?.descriptor { descriptors.append(errors) }
    descriptors += api?.descriptors ?? []
    if let inputs = pinInputs?.descriptor { descriptors.append(inputs) }
    let device = session.device
    return TurnPlan(
      deadline: next == .distantFuture ? nil : next.map { .now + ($0 - pacer.now) },
      descriptors: descriptors.map(\.rawValue) + (remote?.descriptors ?? []),
      stream: device.fault == nil ? device.descriptor : nil)
  }
}
