package import AVR
package import Devices
package import Sketches
package import Traces

/// A moment of a session, as a user names it. Numbers count from 1.
package enum DebugMoment: Hashable, Sendable {
  case time(Instant)
  /// An event of the trace.
  case event(Int)
  /// A byte that arrives at the board.
  case byte(Int)
  /// The rising edge of a servo's pulse.
  case pulse(Int)
  /// The end of a pulse that was not as stored.
  case twitch(Int)
  /// A byte that the board loses.
  case lost(Int)

  /// `byte 17`, `event 3`, `pulse 2`, `twitch 1`, `lost 1` or `2.301s`
  package init?(_ text: String) {
    let words = text.split(separator: " ")
    if words.count == 2, let number = Int(words[1]), number > 0 {
      switch words[0] {
      case "event": self = .event(number)
      case "byte": self = .byte(number)
      case "pulse": self = .pulse(number)
      case "twitch": self = .twitch(number)
      case "lost": self = .lost(number)
      default: return nil
      }
    } else if words.count == 1, let interval = Interval(withUnit: text), interval >= .zero {
      self = .time(.zero + interval)
    } else {
      return nil
    }
  }
}

/// A moment that a session does not have, as a sentence.
package struct NoSuchMoment: Error, Hashable, Sendable {
  package let message: String
}

/// Looks into a program at a moment of a session.
package struct ChipDebugger: Sendable {
  /// What was found at a moment.
  package struct Report: Sendable {
    package fileprivate(set) var time: Instant
    /// What the moment is: "byte 17, `X`, arrived"
    package fileprivate(set) var moment: String
    package fileprivate(set) var stack: CallStack
    /// The last lines of the source that ran, each once, in the order in which they last ran.
    package fileprivate(set) var lines: [RanLine]
    /// Why the chip had stopped by then; nil if it had not.
    package fileprivate(set) var fault: DeviceError?
    package fileprivate(set) var isAsleep: Bool
  }

  package struct RanLine: Hashable, Sendable {
    package var place: SourcePlace
    /// How long before the moment it last ran.
    package var ago: Interval
    /// How often it was entered, as far as was looked back.
    package var count: Int
  }

  private static let linesMax = 10
  /// How far is looked back for lines: further each time, while there are not enough.
  private static let periods: [Interval] = [
    .milliseconds(1), .milliseconds(10), .milliseconds(100),
  ]
  private static let slice = Interval.milliseconds(500)

  private let source: AVRSource
  private let header: Header
  private let events: [Event]
  private let end: Instant
  private let map: SourceMap

  /// - Parameters:
  ///   - events: all events of the trace.
  ///   - end: when the session ends.
  ///   - map: what is known of the program's source.
  package init(
    _ source: AVRSource, _ header: Header, events: [Event], end: Instant, _ map: SourceMap
  ) {
    self.source = source
    self.header = header
    self.events = events
    self.end = end
    self.map = map
  }

  package func report(at moment: DebugMoment) throws(NoSuchMoment) -> Report {
    let (time, text) = try find(moment)
    var run = Run(makeDevice(showsPulses: false), inputs: events.filter { $0.isInput })
    run.record(true)
    // The device is a value: copies of it are run again, one instruction at a time.
    var copies = [run]
    for period in Self.periods.reversed() where time - .zero > period {
      run.advance(to: time - period)
      copies.append(run)
    }
    // The whole session is only short enough if it has no earlier copy.
    if copies.count > Self.periods.count { copies.removeFirst() }
    run.advance(to: time)
    var lines: [RanLine] = []
    for copy in copies.reversed() where lines.count < Self.linesMax {
      lines = self.lines(from: copy, to: run.device)
    }
    return Report(
      time: time, moment: text, stack: CallStack(of: run.device.chip, map),
      lines: lines, fault: run.device.fault, isAsleep: run.device.chip.isAsleep)
  }

  private func makeDevice(showsPulses: Bool) -> AVRDevice {
    source.makeDevice(
      for: header, firmware: header.firmware(unless: nil), showsPulses: showsPulses)
  }

  // MARK: The moment

  private func find(_ moment: DebugMoment) throws(NoSuchMoment) -> (Instant, String) {
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
    case .byte(let number):
      let entries = watch(showsPulses: false).bytes
      guard number <= entries.count else {
        throw NoSuchMoment(message: "the trace has \(String(counting: entries.count, "byte"))")
      }
      let entry = entries[number - 1]
      let fate =
        switch entry.fate {
        case .ringFull, .uartOverrun, .parity, .booting:
          "arrived, and was lost (\(entry.fate.rawValue))"
        default: "arrived"
        }
      return (entry.arrived, "byte \(number), \(ByteText.quoted([entry.byte])), \(fate)")
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
      return (
        time, "byte \(ByteText.quoted([byte])), the loss \(number), was lost (\(why.rawValue))"
      )
    }
  }

  private struct Seen {
    var bytes: [Ledger.Entry] = []
    var pulses: [Instant] = []
    var twitches: [TimedTwitch] = []
    var losses: [(time: Instant, byte: UInt8, why: Output.Loss)] = []
  }

  /// Runs the whole session.
  private func watch(showsPulses: Bool) -> Seen {
    var seen = Seen()
    var simulation = Simulation(
      makeDevice(showsPulses: showsPulses),
      ledger: Ledger(listing: Ledger.listedMax, followsReads: true))
    func advance(to end: Instant) {
      while simulation.step(to: end) {
        for output in simulation.outputs {
          switch output.output {
          case .pulse: seen.pulses.append(output.time)
          case .lost(let byte, let why): seen.losses.append((output.time, byte, why))
          default: break
          }
        }
        seen.twitches += simulation.twitches
      }
    }
    for event in events where event.isInput && event.time <= end {
      advance(to: event.time)
      simulation.feed(event)
    }
    advance(to: end + simulation.lag)
    seen.bytes = simulation.finishLedger().entries.filter { $0.arrived <= end }
    seen.pulses.removeAll { $0 > end }
    seen.losses.removeAll { $0.time > end }
    seen.twitches.removeAll { $0.time > end }
    seen.pulses.sort()
    return seen
  }

  // MARK: Lines

  /// A device on its way through the session.
  private struct Run {
    private(set) var device: AVRDevice
    private let inputs: [Event]
    private var next = 0
    private var recorder = Recorder()

    init(_ device: AVRDevice, inputs: [Event]) {
      self.device = device
      self.inputs = inputs
    }

    /// Records the calls from now on, or no longer.
    mutating func record(_ isOn: Bool) {
      if isOn {
        device.chip.recordRun(loop: [], isLoopCalled: false, wholly: false)
      } else {
        device.chip.stopRecording()
      }
    }

    mutating func advance(to end: Instant) {
      while next < inputs.count, inputs[next].time <= end {
        pass(to: inputs[next].time)
        device.take(inputs[next], into: &recorder)
        next += 1
      }
      pass(to: end)
    }

    private mutating func pass(to end: Instant) {
      while device.now + ChipDebugger.slice < end {
        device.advance(to: device.now + ChipDebugger.slice, into: &recorder)
        recorder.drain()
      }
      device.advance(to: end, into: &recorder)
      recorder.drain()
    }

    /// Executes one instruction, or lets a cycle of sleep pass.
    mutating func step() {
      // Just before the next cycle, so that only the instruction that begins with it is executed.
      advance(to: max(device.now, device.clock.instant(of: device.chip.cycle) - .nanoseconds(1)))
    }
  }

  private func lines(from copy: Run, to device: AVRDevice) -> [RanLine] {
    var run = copy
    run.record(false)
    var places: [UInt16: SourcePlace?] = [:]
    /// Each line with the cycle at which it was last run, and how often it was entered.
    var ran: [SourcePlace: (cycle: UInt64, count: Int)] = [:]
    var last: SourcePlace?
    while run.device.chip.cycle < device.chip.cycle, run.device.chip.fault == nil {
      let (pc, cycle) = (run.device.chip.programCounter, run.device.chip.cycle)
      let isAsleep = run.device.chip.isAsleep
      run.step()
      guard run.device.chip.cycle > cycle else { break }
      if isAsleep { continue }
      if places[pc] == nil { places.updateValue(map.places(at: UInt32(pc)).first, forKey: pc) }
      guard let found = places[pc], let place = found, place.line > 0 else { continue }
      let before = ran[place]?.count ?? 0
      ran[place] = (cycle, place == last ? before : before + 1)
      last = place
    }
    let moment = device.chip.cycle
    let sorted = ran.sorted { $0.value.cycle < $1.value.cycle }.suffix(Self.linesMax)
    return sorted.map { place, value in
      let ago = device.clock.instant(of: moment) - device.clock.instant(of: value.cycle)
      return RanLine(place: place, ago: ago, count: value.count)
    }
  }
}
