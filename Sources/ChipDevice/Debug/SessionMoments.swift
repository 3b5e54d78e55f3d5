import AVR
import Devices
package import Sketches
package import Traces

/// A moment of a session, as a user names it. Numbers count from 1.
package enum DebugMoment: Hashable, Sendable {
  case time(Instant)
  /// An event of the trace.
  case event(Int)
  /// What became of a byte from the sender.
  case byte(Int, Passage)
  /// The rising edge of a servo's pulse.
  case pulse(Int)
  /// The end of a pulse that was not as stored.
  case twitch(Int)
  /// A byte that the board loses.
  case lost(Int)

  package enum Passage: String, Hashable, Sendable {
    /// It arrived at the board.
    case arrived
    /// The program took it.
    case read
    case lost
  }

  /// `byte 17`, `byte 17 read`, `event 3`, `pulse 2`, `twitch 1`, `lost 1` or `2.301s`
  package init?(_ text: String) {
    let words = text.split(separator: " ")
    if words.count == 1, let interval = Interval(withUnit: text), interval >= .zero {
      self = .time(.zero + interval)
      return
    }
    guard words.count >= 2, let number = Int(words[1]), number > 0 else { return nil }
    if words.count == 3 {
      guard words[0] == "byte", let passage = Passage(rawValue: String(words[2])) else {
        return nil
      }
      self = .byte(number, passage)
      return
    }
    guard words.count == 2 else { return nil }
    switch words[0] {
    case "event": self = .event(number)
    case "byte": self = .byte(number, .arrived)
    case "pulse": self = .pulse(number)
    case "twitch": self = .twitch(number)
    case "lost": self = .lost(number)
    default: return nil
    }
  }
}

/// A moment that a session does not have, as a sentence.
package struct NoSuchMoment: Error, Hashable, Sendable {
  package let message: String
}

/// Finds the moments of a session by running it.
package struct SessionMoments: Sendable {
  private let source: AVRSource
  private let header: Header
  /// All events of the trace, or the inputs so far of a live session.
  private var events: [Event]
  /// How far the session goes, or has gone.
  private var end: Instant
  /// What was seen in the last run of the whole session.
  private var seen: Seen?

  /// - Parameters:
  ///   - events: all events of the trace.
  ///   - end: when the session ends.
  package init(_ source: AVRSource, _ header: Header, events: [Event], end: Instant) {
    self.source = source
    self.header = header
    self.events = events
    self.end = end
  }

  var inputs: [Event] { events.filter { $0.isInput } }

  func makeDevice(showsPulses: Bool) -> AVRDevice {
    source.makeDevice(
      for: header, firmware: header.firmware(unless: nil), showsPulses: showsPulses)
  }

  /// Adds an input of a live session.
  package mutating func append(_ input: Event) {
    events.append(input)
    seen = nil
  }

  /// A live session has gone this far.
  package mutating func extend(to end: Instant) {
    guard end > self.end else { return }
    self.end = end
    seen = nil
  }

  /// Returns when a moment is, and what it is: "byte 17, `X`, arrived".
  package mutating func find(_ moment: DebugMoment) throws(NoSuchMoment) -> (Instant, String) {
    func count(_ count: Int, _ noun: String) -> NoSuchMoment {
      NoSuchMoment(message: "the session has \(String(counting: count, noun))")
    }
    switch moment {
    case .time(let time):
      guard time <= end else {
        throw NoSuchMoment(message: "the session ends at \(String(shortest: end - .zero)) s")
      }
      return (time, "")
    case .event(let number):
      guard number <= events.count else {
        throw NoSuchMoment(message: "the trace has \(String(counting: events.count, "event"))")
      }
      let event = events[number - 1]
      guard event.time <= end else {
        throw NoSuchMoment(
          message: "event \(number) is after the session, which ends at "
            + "\(String(shortest: end - .zero)) s")
      }
      return (event.time, "event \(number) of the trace")
    case .byte(let number, let passage): return try findByte(number, passage)
    case .pulse(let number):
      let pulses = watch(showsPulses: true).pulses
      guard number <= pulses.count else { throw count(pulses.count, "pulse") }
      return (pulses[number - 1], "pulse \(number) began")
    case .twitch(let number):
      let twitches = watch(showsPulses: true).twitches
      guard number <= twitches.count else {
        if twitches.isEmpty { throw NoSuchMoment(message: "the session has no twitch") }
        throw NoSuchMoment(
          message: "the session has \(twitches.count) twitch\(twitches.count == 1 ? "" : "es")")
      }
      let seen = twitches[number - 1]
      return (
        seen.time,
        "twitch \(number) ended: on \(seen.twitch.pin.name), \(seen.twitch.stored) us stored, "
          + "\(seen.twitch.measured) us long"
      )
    case .lost(let number):
      let losses = watch(showsPulses: false).losses
      guard number <= losses.count else { throw count(losses.count, "lost byte") }
      let (time, byte, why) = losses[number - 1]
      return (time, "lost byte \(number), \(ByteText.quoted([byte])) (\(why.rawValue))")
    }
  }

  private mutating func findByte(
    _ number: Int, _ passage: DebugMoment.Passage
  ) throws(NoSuchMoment) -> (Instant, String) {
    let seen = watch(showsPulses: false)
    guard number <= seen.bytes.count else {
      throw NoSuchMoment(message: "the trace has \(String(counting: seen.bytes.count, "byte"))")
    }
    let entry = seen.bytes[number - 1]
    let name = "byte \(number), \(ByteText.quoted([entry.byte])), "
    let loss: String? =
      switch entry.fate {
      case .ringFull, .uartOverrun, .parity, .booting: " (\(entry.fate.rawValue))"
      default: nil
      }
    switch passage {
    case .arrived:
      return (entry.arrived, name + "arrived" + (loss.map { ", and was lost" + $0 } ?? ""))
    case .read:
      guard let taken = entry.taken, loss == nil else {
        throw NoSuchMoment(
          message: name + (loss.map { "was lost" + $0 } ?? "was not read by the program"))
      }
      return (taken, name + "was read by the program")
    case .lost:
      guard let loss else { throw NoSuchMoment(message: name + "was not lost") }
      // It is lost when it arrives, or when the program's interrupt has no room for it.
      let found = seen.losses.first { $0.time >= entry.arrived && $0.byte == entry.byte }
      return (found?.time ?? entry.arrived, name + "was lost" + loss)
    }
  }

  private struct Seen {
    let showsPulses: Bool
    var bytes: [Ledger.Entry] = []
    var pulses: [Instant] = []
    var twitches: [TimedTwitch] = []
    var losses: [(time: Instant, byte: UInt8, why: Output.Loss)] = []
  }

  /// Runs the whole session, unless that has been done.
  private mutating func watch(showsPulses: Bool) -> Seen {
    if let seen, seen.showsPulses || !showsPulses { return seen }
    var seen = Seen(showsPulses: showsPulses)
    var simulation = Simulation(
      makeDevice(showsPulses: showsPulses),
      ledger: Ledger(listing: Ledger.listedMax, followsReads: true))
    forEachStep(of: &simulation, to: end) { simulation in
      for output in simulation.outputs {
        switch output.output {
        case .pulse: seen.pulses.append(output.time)
        case .lost(let byte, let why): seen.losses.append((output.time, byte, why))
        default: break
        }
      }
      seen.twitches += simulation.twitches
    }
    let end = end
    seen.bytes = simulation.finishLedger().entries.filter { $0.arrived <= end }
    seen.pulses.removeAll { $0 > end }
    seen.losses.removeAll { $0.time > end }
    seen.twitches.removeAll { $0.time > end }
    seen.pulses.sort()
    self.seen = seen
    return seen
  }

  private func forEachStep(
    of simulation: inout Simulation<AVRDevice>, to end: Instant,
    _ body: (Simulation<AVRDevice>) -> Void
  ) {
    for event in events where event.isInput && event.time <= end {
      while simulation.step(to: event.time) { body(simulation) }
      simulation.feed(event)
    }
    while simulation.step(to: end + simulation.lag) { body(simulation) }
  }

  // MARK: What was before

  /// What the processor did before an instant, as lines: what it was busy with, and what was the
  /// last that went wrong.
  package func reasons(before end: Instant) -> [String] {
    var device = makeDevice(showsPulses: true)
    device.recordRun(wholly: false)
    var simulation = Simulation(device)
    var (loss, twitch, memory): (String?, String?, String?)
    var longest: [RunNote.Span: String] = [:]
    forEachStep(of: &simulation, to: end) { simulation in
      for output in simulation.outputs where output.time <= end {
        guard case .lost(let byte, let why) = output.output else { continue }
        loss = "\(text(output.time)) lost \(ByteText.quoted([byte])) (\(why.rawValue))"
      }
      for noted in simulation.notes where noted.time <= end {
        switch noted.note {
        case .why(let why): loss = loss.map { $0 + ": " + why }
        case .longest(let span, _, let why): longest[span] = "\(text(noted.time)) \(why)"
        case .memory(_, let what): memory = "\(text(noted.time)) \(what)"
        }
      }
      for seen in simulation.twitches where seen.time <= end {
        let found = seen.twitch
        twitch =
          "\(text(seen.time)) a pulse on \(found.pin.name) of \(found.measured) us, "
          + "\(found.stored) us stored" + (found.why.map { ": " + $0 } ?? "")
      }
    }
    var lines: [String] = []
    let period = min(Self.busyPeriod, end - .zero)
    if let busy = simulation.device.busy(from: end - period, to: end) {
      lines.append("in the last \(String(readable: period)) it was in \(busy)")
    }
    for line in [loss, twitch, memory, longest[.interruptsOff], longest[.loop]] {
      if let line { lines.append(line) }
    }
    return lines
  }

  private static let busyPeriod = Interval.milliseconds(100)

  private func text(_ instant: Instant) -> String { "\(String(shortest: instant - .zero)) s:" }
}
