import Aim
import Clients
import Devices
import SystemPackage
import Traces
import Turret

/// What is seen becomes what is sent and shown. Made before the stage begins, and from then on used
/// by it only.
final class AimSession {
  /// An Uno's bootloader takes two seconds.
  private static let portPatience = Interval.seconds(3)
  private static let portLook = Interval.milliseconds(5)
  /// For the target of a recording to be there, and how often that is looked at.
  static let targetPatience = Interval.seconds(10)
  private static let targetLook = Interval.milliseconds(5)
  /// Frames that are late are seen so many at a time: others have to be heard, too.
  private static let batch = 1_000

  private var source: AimSource
  private var pace: CommandPace
  private let port: PortSender?
  private let display: AimDisplay
  private let options: AimOptions
  private var start = HostTime.now
  private var isWaiting = false
  private var isOver = false
  /// A recording that nobody was there for was not played.
  private(set) var wasPlayed = true
  private(set) var commands = 0
  /// What was wrong in the observations.
  private(set) var failure: TraceError?

  init(
    _ source: consuming AimSource, _ pace: CommandPace, _ port: PortSender?, _ display: AimDisplay,
    _ options: AimOptions
  ) {
    self.source = source
    self.pace = pace
    self.port = port
    self.display = display
    self.options = options
  }

  var tally: AimTally { source.tally }

  private var now: Instant { .zero + (HostTime.now - start) }

  func begin(_ stage: SendingLoop) {
    port?.begin(stage)
    if source.isRecorded {
      waitUntilHeard(by: .now + Self.targetPatience, stage)
    } else {
      follow(stage)
    }
  }

  // MARK: A recording

  /// A recording begins when it is heard, or the vision phone is asked: what comes sooner would be
  /// lost.
  private func waitUntilHeard(by deadline: HostTime, _ stage: SendingLoop) {
    guard !isOver else { return }
    let isHeard =
      display.hasTarget ? display.hasConnected && port?.isBusy != true : stage.wasAsked
    if isHeard {
      start = .now
      play(stage)
    } else if display.hasTarget, !display.hasConnected, HostTime.now >= deadline {
      wasPlayed = false
      finish(stage)
    } else {
      stage.schedule(in: Self.targetLook) { [self] in waitUntilHeard(by: deadline, $0) }
    }
  }

  private func play(_ stage: SendingLoop) {
    guard !isOver else { return }
    do throws(TraceError) {
      for _ in 0..<Self.batch {
        guard let (sighting, time) = try source.see(until: now) else {
          guard let next = source.nextTime else { return finish(stage) }
          return stage.schedule(in: max(.zero, next - now)) { [self] in play($0) }
        }
        see(sighting, at: time, stage)
      }
    } catch {
      return finish(stage, error)
    }
    stage.schedule(in: .zero) { [self] in play($0) }
  }

  // MARK: A pipe

  private func follow(_ stage: SendingLoop) {
    let pipe: FileDescriptor?
    do throws(TraceError) {
      pipe = try source.openAgain()
    } catch {
      return finish(stage, error)
    }
    take(nil, stage)
    if isOver {
      try? pipe?.close()
    } else if let pipe {
      stage.read(pipe.rawValue) { [self] in take($0, stage) }
    } else {
      finish(stage)
    }
  }

  /// Takes bytes that have come, none being the end; nil: sees what is there already.
  private func take(_ bytes: [UInt8]?, _ stage: SendingLoop) {
    guard !isOver else { return }
    do throws(TraceError) {
      if let bytes { try source.append(bytes) }
      while let (sighting, time) = try source.see() { see(sighting, at: time, stage) }
    } catch {
      return finish(stage, error)
    }
    if bytes?.isEmpty == true { finish(stage) }
  }

  // MARK: -

  /// `time` is the frame's own.
  private func see(_ sighting: Sighting, at time: Instant, _ stage: SendingLoop) {
    display.show(sighting: sighting.status)
    stage.answer(angle: offCentre(sighting), distance: sighting.distance, time: time - .zero)
    send(pace.take(sighting.wanted, at: now), stage)
    wait(stage)
  }

  /// What the vision phone tells: the true angle, or by the linear mapping the one that the turret
  /// is aimed by, which `mirror` has no part in.
  private func offCentre(_ sighting: Sighting) -> Double? {
    switch options.mapping {
    case .fov: sighting.offCentre
    case .linear: sighting.angles.map { Double(options.mirror ? 90 - $0.x : $0.x - 90) }
    }
  }

  /// There is no more to be seen, or the vision phone was shut down.
  func finish(_ stage: SendingLoop, _ failure: TraceError? = nil) {
    guard !isOver else { return }
    isOver = true
    self.failure = failure
    send(pace.finish(), stage)
    stop(stage, by: .now + Self.portPatience)
  }

  /// The port first carries what waits for it: closing it could take that back, and an Uno that was
  /// restarted by opening it does not listen yet.
  private func stop(_ stage: SendingLoop, by deadline: HostTime) {
    guard port?.isBusy == true, HostTime.now < deadline else {
      port?.end()
      return stage.stop()
    }
    stage.schedule(in: Self.portLook) { [self] in stop($0, by: deadline) }
  }

  /// What has to wait goes when it is due, though no frame may come.
  private func wait(_ stage: SendingLoop) {
    guard !isWaiting, let due = pace.due else { return }
    isWaiting = true
    stage.schedule(in: max(.zero, due - now)) { [self] stage in
      isWaiting = false
      send(pace.advance(to: now + .nanoseconds(1)), stage)
      wait(stage)
    }
  }

  private func send(_ sent: CommandPace.Sent?, _ stage: SendingLoop) {
    guard let bytes = sent.map({ Array($0.command.text.utf8) }) else { return }
    commands += 1
    if let port { port.send(bytes, stage) } else { stage.send(bytes) }
  }
}
