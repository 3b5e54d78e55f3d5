import Devices
import Sketches
import TestSupport
import Testing

@testable import Engine

/// Random events in a random order, followed each time by what the bench reports in every turn.
@Suite struct SessionLifeInvariantTests {
  /// A life, and the actions it has returned so far.
  private struct Play {
    var life: SessionLife
    var starts = 0
    var leave: (at: Instant, ending: SessionLife.Ending)?
    var ending: SessionLife.Ending?
    var flaws: [String] = []

    mutating func take(_ event: SessionLife.Event, at now: Instant) {
      let before = life
      let actions = life.handle(event, at: now)
      if before.ending != nil, !actions.isEmpty || life != before {
        flaws.append("\(event) after the end")
      }
      for action in actions { note(action, of: event, before, at: now) }
      if (life.ending != nil) != (ending != nil) { flaws.append("an end without its action") }
      if life.ending != ending { flaws.append("\(event) changed the ending") }
    }

    private mutating func note(
      _ action: SessionLife.Action, of event: SessionLife.Event, _ before: SessionLife,
      at now: Instant
    ) {
      if ending != nil { flaws.append("\(action) after the end") }
      switch action {
      case .startCommand: starts += 1
      case .missBoard:
        if before.isBoardAway || !life.isBoardAway { flaws.append("missed twice") }
      case .lookForBoard:
        if !before.isBoardAway || !life.isBoardAway { flaws.append("looked for in vain") }
      case .welcomeBoard:
        if !before.isBoardAway || life.isBoardAway { flaws.append("back, but not away") }
      case .leave:
        if leave != nil { flaws.append("left twice") }
        leave = cause(of: event).map { (now, $0) }
      case .reportUntaken:
        if leave.map({ now < $0.at + .seconds(1) }) != false { flaws.append("given up early") }
      case .end:
        ending = leave?.ending ?? cause(of: event)
        if ending == nil { flaws.append("ended by \(event)") }
      }
    }

    /// Returns the ending that an event causes; nil if it causes none.
    private func cause(of event: SessionLife.Event) -> SessionLife.Ending? {
      switch event {
      case .signal(let number): .signal(number)
      case .endKey: .key
      case .passed, .sceneOver: .time
      case .line: .command
      case .boardFailed(let error): .fault(error)
      default: nil
      }
    }
  }

  private static func event(using random: inout SeededGenerator) -> SessionLife.Event {
    switch Int.random(in: 0..<100, using: &random) {
    case 0..<15: return .waited(lag: .milliseconds(.random(in: 0...150, using: &random)))
    case 15: return .boardFailed(DeviceError(.inputOutput, "board: error: cannot be read"))
    case 16..<30: return .boardFailed(DeviceError(.gone, "board: error: is gone"))
    case 30..<40: return .boardIsBack(bootTime: .seconds(.random(in: 0...2, using: &random)))
    case 40..<50: return .boardIsStillAway
    case 50:
      return [.signal(2), .signal(15), .endKey, .sceneOver].randomElement(using: &random)
        ?? .endKey
    case 51..<54: return .commandEnded(earliest: .zero, backlog: .milliseconds(3))
    case 54..<99: return .passed
    default: return .network(isDrained: true)
    }
  }

  @Test(arguments: 0..<300 as Range<UInt64>)
  func `A session starts its command once, ends once for its first reason, and leaves in time`(
    seed: UInt64
  ) {
    var random = SeededGenerator(seed: seed)
    let end = Bool.random(using: &random) ? Instant.zero + .seconds(6) : nil
    var play = Play(
      life: SessionLife(
        end: end, hasNetwork: .random(using: &random),
        rejoins: Int.random(in: 0..<4, using: &random) > 0))
    var now = Instant.zero
    for _ in 0..<400 {
      now += .milliseconds(.random(in: 0...60, using: &random))
      play.take(Self.event(using: &random), at: now)
      play.take(.passed, at: now)
      let isBusy = Int.random(in: 0..<10, using: &random) == 0
      play.take(.line(onTheWay: isBusy ? 1 : 0, waiting: nil), at: now)
      play.take(.network(isDrained: false), at: now)
      if let leave = play.leave, now >= leave.at + .seconds(1), play.ending == nil {
        play.flaws.append("still leaving")
      }
      // A board that is due is looked for. Anything else that is due has just been handled.
      let deadline = play.life.nextDeadline(after: now)
      if !play.life.isBoardAway, let deadline, deadline <= now {
        play.flaws.append("due at once again")
      }
    }
    #expect(play.flaws == [], "seed \(seed)")
    #expect(play.starts <= 1, "seed \(seed)")
    #expect(end == nil || play.ending != nil, "seed \(seed)")
  }
}
