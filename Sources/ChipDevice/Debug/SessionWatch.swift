import AVR
import Devices
import Sketches
import Traces

/// A run through a session that notes what happens.
struct SessionWatch: Sendable {
  enum Purpose: Hashable, Sendable {
    /// What becomes of the bytes from the sender.
    case bytes
    /// That, and the pulses of the servos.
    case pulses
    /// What the processor did before an instant.
    case reasons(before: Instant)

    /// Whether what is seen for this purpose is enough for another.
    func serves(_ other: Purpose) -> Bool {
      self == other || self == .pulses && other == .bytes
    }
  }

  /// The most that is run at once.
  private static let slice = Interval.milliseconds(500)
  private static let busyPeriod = Interval.milliseconds(100)

  let purpose: Purpose
  private let end: Instant
  private var simulation: Simulation<AVRDevice>
  private var nextEvent = 0

  private(set) var bytes: [Ledger.Entry] = []
  private(set) var pulses: [Instant] = []
  private(set) var twitches: [TimedTwitch] = []
  private(set) var losses: [(time: Instant, byte: UInt8, why: Output.Loss)] = []
  /// What was the last of each kind that the run reports.
  private var memory: String?
  private var why: (time: Instant, text: String)?
  private var longest: [RunNote.Span: (length: Interval, text: String)] = [:]
  /// What is not over at the end; nil before that.
  private var unfinished: [RunNote]?

  init(_ purpose: Purpose, _ device: AVRDevice, end: Instant) {
    self.purpose = purpose
    var device = device
    var ledger: Ledger?
    if case .reasons(let end) = purpose {
      self.end = end
      device.recordRun(wholly: false)
    } else {
      self.end = end
      ledger = Ledger(listing: Ledger.listedMax, followsReads: true)
    }
    simulation = Simulation(device, ledger: ledger)
  }

  /// How far it has got, 0 to 1.
  var progress: Double {
    let whole = (end - Instant.zero).nanoseconds
    return whole > 0
      ? min(1, Double((simulation.now - Instant.zero).nanoseconds) / Double(whole)) : 1
  }

  /// Runs on, for about so many of the chip's cycles. Returns whether that was all.
  mutating func proceed(_ events: [Event], forAbout cycles: UInt64) -> Bool {
    let begin = simulation.device.chip.executedCycles
    let last = end + simulation.lag
    while true {
      if unfinished == nil, simulation.now >= end { unfinished = simulation.device.unfinished }
      while nextEvent < events.count, !events[nextEvent].isInput { nextEvent += 1 }
      let input = nextEvent < events.count ? events[nextEvent] : nil
      let due =
        input.flatMap { $0.time <= end ? $0.time : nil } ?? (unfinished == nil ? end : last)
      if simulation.step(to: min(due, simulation.now + Self.slice)) {
        note()
      } else if simulation.now >= due {
        guard let input, input.time <= end else {
          if unfinished == nil { continue }
          break
        }
        simulation.feed(input)
        nextEvent += 1
      }
      guard simulation.device.chip.executedCycles - begin < cycles else { return false }
    }
    bytes = simulation.finishLedger().entries.filter { $0.arrived <= end }
    // The simulation goes on a little, so that late outputs are seen.
    for index in bytes.indices where bytes[index].taken.map({ $0 > end }) ?? false {
      bytes[index].taken = nil
    }
    pulses.sort()
    return true
  }

  private mutating func note() {
    for output in simulation.outputs where output.time <= end {
      switch output.output {
      case .pulse: pulses.append(output.time)
      case .lost(let byte, let reason):
        losses.append((output.time, byte, reason))
      default: break
      }
    }
    for noted in simulation.notes where noted.time <= end {
      switch noted.note {
      case .why(let text): why = (noted.time, text)
      case .longest(let span, let length, let text):
        longest[span] = (length, "\(moment(noted.time)) \(text)")
      case .memory(_, let what): memory = "\(moment(noted.time)) \(what)"
      }
    }
    twitches += simulation.twitches.filter { $0.time <= end }
  }

  /// What the processor did, as lines.
  var reasons: [String] {
    var lines: [String] = []
    let period = min(Self.busyPeriod, end - .zero)
    if let busy = simulation.device.busy(from: end - period, to: end) {
      lines.append("in the last \(String(readable: period)) it was \(busy)")
    }
    if let (time, byte, reason) = losses.last {
      let loss = "\(moment(time)) lost \(ByteText.quoted([byte])) (\(reason.rawValue))"
      let cause = why.flatMap { $0.time >= time ? $0.text : nil }
      lines.append(loss + (cause.map { ": " + $0 } ?? ""))
    }
    if let seen = twitches.last {
      let found = seen.twitch
      lines.append(
        "\(moment(seen.time)) a pulse on \(found.pin.name) of \(found.measured) us, "
          + "\(found.stored) us stored" + (found.why.map { ": " + $0 } ?? ""))
    }
    if let memory { lines.append(memory) }
    var longest = longest
    for case .longest(let span, let length, let text) in unfinished ?? [] {
      let line = "\(moment(end)) \(text)"
      if length >= longest[span]?.length ?? .zero {
        longest[span] = (length, line)
      } else if span == .interruptsOff {
        lines.append(line)
      }
    }
    return lines + [longest[.interruptsOff], longest[.loop]].compactMap { $0?.text }
  }

  private func moment(_ instant: Instant) -> String { "\(String(shortest: instant - .zero)) s:" }
}
