import Devices
import Sketches
import States
import TestSupport
import Testing
import Traces

/// A session of a device in virtual time that can be interrupted at any instant.
struct StateSession<Source: RestorableSource> {
  private let source: Source
  private let header: Header
  private let showsPulses: Bool
  private let inputs: [Event]
  private let end: Instant

  init(
    _ firmware: Firmware, _ inputs: [Event], end: Instant, showsPulses: Bool = false,
    on source: Source = ModelSource()
  ) {
    self.source = source
    header = Header(firmware: firmware, duration: end - .zero, title: nil)
    self.inputs = inputs
    self.end = end
    self.showsPulses = showsPulses
  }

  /// Creates a session of a random sender's bytes, on a board that is sometimes reset.
  init(
    _ firmware: Firmware, showsPulses: Bool, on source: Source = ModelSource(),
    _ generator: inout SeededGenerator
  ) {
    let sender = RandomSender(firmware, seed: generator.next())
    let (inputs, end) = sender.inputs(
      seed: generator.next(), gapMax: [5, 60, 700].randomElement(using: &generator)!)
    var all: [Event] = []
    for input in inputs {
      all.append(input)
      switch Int.random(in: 0..<30, using: &generator) {
      case 24: all.append(Event(input.time, .format(LineFormat(dataSize: 7, parity: .even))))
      case 25, 26: all.append(Event(input.time, .format(.standard)))
      case 27:
        let length = Int64.random(in: 0...50_000, using: &generator)
        all.append(Event(input.time, .senderBreak(.microseconds(length))))
      case 28: all.append(Event(input.time, .framingError(on: .rx, UInt8(ascii: "X"))))
      case 0:
        all.append(Event(input.time, .baud([4_800, 19_200].randomElement(using: &generator)!)))
      case 1, 2: all.append(Event(input.time, .baud(9_600)))
      case 3: all.append(Event(input.time, .reset(.milliseconds(300))))
      case 4: all.append(Event(input.time, .reset(.zero)))
      case 5: all.append(Event(input.time, .mark("a note")))
      default: break
      }
    }
    self.init(firmware, all, end: end, showsPulses: showsPulses, on: source)
  }

  var whole: [Event] {
    get throws { run(try device, from: .zero, until: end).events }
  }

  /// Returns the events up to an instant, and the state at it.
  func events(until instant: Instant) throws -> (events: [Event], state: [UInt8]) {
    let (events, device) = run(try device, from: .zero, until: instant)
    let state = try StateFile(
      device, header.firmware(unless: nil), baud: header.baud, at: instant)
    return (events, state.text)
  }

  /// Returns the events after a state.
  func events(from state: [UInt8]) throws -> [Event] {
    let file = try StateFile(text: state, path: "state")
    let device = try source.restore(file, showsPulses: showsPulses)
    return run(device, from: file.time, until: end).events
  }

  /// Returns random instants, instants of events, and instants next to them.
  func instants(of events: [Event], _ generator: inout SeededGenerator) -> [Instant] {
    (0..<8).map { _ in
      let whole = end.nanoseconds / 1_000
      let any = Instant.zero + .microseconds(Int64.random(in: 0...whole, using: &generator))
      guard let event = events.randomElement(using: &generator),
        Int.random(in: 0..<4, using: &generator) > 0
      else { return any }
      let shift = [-1_042, -60, -1, 0, 0, 1, 3, 60].randomElement(using: &generator)!
      return min(max(event.time + .microseconds(Int64(shift)), .zero), .zero + .microseconds(whole))
    }
  }

  private var device: Source.Made {
    get throws {
      try source.makeDevice(
        for: header, firmware: header.firmware(unless: nil), showsPulses: showsPulses)
    }
  }

  private func run(
    _ device: Source.Made, from start: Instant, until end: Instant
  ) -> (events: [Event], device: Source.Made) {
    let all = Set(Output.Kind.allCases)
    var replay = Replay(
      device, from: start, until: end, kinds: showsPulses ? all : all.subtracting([.pulse]))
    var events: [Event] = []
    for input in inputs where input.time <= end && (start == .zero || input.time > start) {
      replay.take(input) { events.append($0) }
    }
    replay.finish(after: end) { events.append($0) }
    return (events, replay.deviceAtEnd ?? replay.simulation.device)
  }
}
