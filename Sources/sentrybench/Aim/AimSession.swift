import Aim
import Bench
import Gateway
import Traces
import Turret

/// What is seen becomes what is sent and shown. Made before the stage begins, and from then on used on
/// its thread only.
final class AimSession: @unchecked Sendable {
  private var pace: CommandPace
  /// An Uno's bootloader takes two seconds.
  private static let portPatience = Interval.seconds(3)
  private static let portLook = Interval.milliseconds(5)

  private let port: PortSender?
  private let display: AimDisplay
  /// Whether the angle off the centre is the true one; otherwise it is what the turret is aimed by.
  private let isTrueAngle: Bool
  private let start = HostTime.now
  private var isWaiting = false
  /// What was wrong in the observations.
  var failure: TraceError?

  init(_ pace: CommandPace, _ port: PortSender?, _ display: AimDisplay, isTrueAngle: Bool) {
    self.pace = pace
    self.port = port
    self.display = display
    self.isTrueAngle = isTrueAngle
  }

  private var now: Instant { .zero + (HostTime.now - start) }

  func begin(_ stage: SendingStage) { port?.begin(stage) }

  /// Whether what is sent now would arrive: the target is there, and a board behind a port listens.
  var isHeard: Bool { display.hasConnected && port?.isBusy != true }

  /// `time` is the frame's own.
  func see(_ sighting: Sighting, at time: Instant, _ stage: SendingStage) {
    display.show(sighting: sighting.status)
    let angle =
      isTrueAngle ? sighting.offCentre : sighting.angles.map { Double($0.x) - 90 }
    stage.answer(angle: angle, distance: sighting.distance, time: time - .zero)
    send(pace.take(sighting.wanted, at: now), stage)
    wait(stage)
  }

  /// There is no more to be seen.
  func finish(_ stage: SendingStage) {
    send(pace.finish(), stage)
    stop(stage, by: .now + Self.portPatience)
  }

  /// The port first carries what waits for it: closing it could take that back, and an Uno that was
  /// restarted by opening it does not listen yet.
  private func stop(_ stage: SendingStage, by deadline: HostTime) {
    guard port?.isBusy == true, HostTime.now < deadline else {
      port?.end()
      return stage.stop()
    }
    stage.schedule(in: Self.portLook) { [self] in stop($0, by: deadline) }
  }

  /// What has to wait goes when it is due, though no frame may come.
  private func wait(_ stage: SendingStage) {
    guard !isWaiting, let due = pace.due else { return }
    isWaiting = true
    stage.schedule(in: max(.zero, due - now)) { [self] stage in
      isWaiting = false
      send(pace.advance(to: now + .nanoseconds(1)), stage)
      wait(stage)
    }
  }

  private func send(_ sent: CommandPace.Sent?, _ stage: SendingStage) {
    guard let bytes = sent.map({ Array($0.command.text.utf8) }) else { return }
    if let port { port.send(bytes, stage) } else { stage.send(bytes) }
  }
}
