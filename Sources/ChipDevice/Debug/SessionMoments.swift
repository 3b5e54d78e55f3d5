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

  fileprivate var isTime: Bool { if case .time = self { true } else { false } }

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
  /// What is looked for.
  package enum Sought: Hashable, Sendable {
    case moment(DebugMoment)
    /// What the processor did before an instant.
    case reasons(before: Instant)
  }

  private let source: AVRSource
  private let header: Header
  /// All events of the trace, or the inputs so far of a live session.
  private var events: [Event]
  private let isLive: Bool
  private var isOver = false
  /// Whether more inputs have come than are kept.
  private var hasForgotten = false
  /// How far the session goes, or has gone.
  private var end: Instant
  /// What was seen in the last run of the whole session.
  private var seen: SessionWatch?
  /// A run that is on its way.
  private var watch: SessionWatch?

  /// - Parameters:
  ///   - events: all events of the trace.
  ///   - end: when the session ends.
  package init(
    _ source: AVRSource, _ header: Header, events: [Event], end: Instant, isLive: Bool = false
  ) {
    self.source = source
    self.header = header
    self.events = events
    self.end = end
    self.isLive = isLive
  }

  var inputs: [Event] { events.filter { $0.isInput } }

  func makeDevice(showsPulses: Bool) -> AVRDevice {
    source.makeDevice(
      for: header, firmware: header.firmware(unless: nil), showsPulses: showsPulses)
  }

  /// Adds an input of a live session.
  package mutating func append(_ input: Event) {
    (seen, watch) = (nil, nil)
    if events.count >= ChipTimeline.inputsMax { (events, hasForgotten) = ([], true) }
    if !hasForgotten { events.append(input) }
  }

  /// A live session has gone this far.
  package mutating func extend(to end: Instant) {
    guard end > self.end else { return }
    self.end = end
    (seen, watch) = (nil, nil)
  }

  /// A live session has ended.
  package mutating func finish(at end: Instant) {
    extend(to: end)
    isOver = true
  }

  /// Runs the session on, for about so many of the chip's cycles. Returns whether what is sought is
  /// known then.
  package mutating func look(for sought: Sought, forAbout cycles: UInt64) -> Bool {
    if hasForgotten { return true }
    return switch sought {
    case .moment(.time), .moment(.event): true
    case .moment(.byte), .moment(.lost): look(by: .bytes, forAbout: cycles)
    case .moment(.pulse), .moment(.twitch): look(by: .pulses, forAbout: cycles)
    case .reasons(let end): look(by: .reasons(before: end), forAbout: cycles)
    }
  }

  /// How far it has got, 0 to 1; nil if it does not look for anything.
  package var progress: Double? { watch?.progress }

  package mutating func stopLooking() { watch = nil }

  private mutating func look(by purpose: SessionWatch.Purpose, forAbout cycles: UInt64) -> Bool {
    if let seen, seen.purpose.serves(purpose) { return true }
    var watch: SessionWatch
    if let own = self.watch, own.purpose == purpose {
      watch = own
    } else {
      watch = SessionWatch(purpose, makeDevice(showsPulses: purpose != .bytes), end: end)
    }
    self.watch = nil
    let isDone = watch.proceed(events, forAbout: cycles)
    if isDone { seen = watch } else { self.watch = watch }
    return isDone
  }

  /// Returns when a moment is, and what it is: "byte 17, `X`, arrived".
  package mutating func find(_ moment: DebugMoment) throws(NoSuchMoment) -> (Instant, String) {
    func count(_ count: Int, _ noun: String) -> NoSuchMoment {
      NoSuchMoment(message: "the session has \(String(counting: count, noun))")
    }
    if hasForgotten, !moment.isTime {
      throw NoSuchMoment(message: "the debugger has forgotten how this long session began")
    }
    if isLive, case .event = moment {
      throw NoSuchMoment(message: "a live session has no trace")
    }
    _ = look(for: .moment(moment), forAbout: .max)
    switch moment {
    case .time(let time):
      guard time <= end else {
        let end = "\(String(shortest: end - .zero)) s"
        throw NoSuchMoment(
          message: isLive && !isOver
            ? "the session has only come to \(end)" : "the session ends at \(end)")
      }
      return (time, "")
    case .event(let number):
      guard number <= events.count else {
        throw count(events.count, "event")
      }
      let event = events[number - 1]
      guard event.time <= end else {
        throw NoSuchMoment(
          message: "event \(number) is after the session, which ends at "
            + "\(String(shortest: end - .zero)) s")
      }
      return (event.time, "event \(number)")
    case .byte(let number, let passage): return try findByte(number, passage)
    case .pulse(let number):
      let pulses = seen?.pulses ?? []
      guard number <= pulses.count else { throw count(pulses.count, "pulse") }
      return (pulses[number - 1], "pulse \(number) began")
    case .twitch(let number):
      let twitches = seen?.twitches ?? []
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
      let losses = seen?.losses ?? []
      guard number <= losses.count else { throw count(losses.count, "lost byte") }
      let (time, byte, why) = losses[number - 1]
      return (time, "lost byte \(number), \(ByteText.quoted([byte])) (\(why.rawValue))")
    }
  }

  private func findByte(
    _ number: Int, _ passage: DebugMoment.Passage
  ) throws(NoSuchMoment) -> (Instant, String) {
    let bytes = seen?.bytes ?? []
    guard number <= bytes.count else {
      throw NoSuchMoment(message: "the session has \(String(counting: bytes.count, "byte"))")
    }
    let entry = bytes[number - 1]
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
      guard source.program.receivePin == nil else {
        throw NoSuchMoment(
          message: "the program receives by software, so when it reads a byte is not known")
      }
      guard let taken = entry.taken, loss == nil else {
        throw NoSuchMoment(
          message: name + (loss.map { "was lost" + $0 } ?? "was not read by the program"))
      }
      return (taken, name + "was read by the program")
    case .lost:
      guard let loss else { throw NoSuchMoment(message: name + "was not lost") }
      // It is lost when it arrives, or when the program's interrupt has no room for it.
      let found = seen?.losses.first { $0.time >= entry.arrived && $0.byte == entry.byte }
      return (found?.time ?? entry.arrived, name + "was lost" + loss)
    }
  }

  /// What the processor did before an instant, as lines: what it was busy with, and what was the
  /// last that went wrong.
  package mutating func reasons(before end: Instant) -> [String] {
    _ = look(for: .reasons(before: end), forAbout: .max)
    return seen?.reasons ?? []
  }
}
