import AVR
import Sketches

/// The bytes that the program sends by software, and the pin on which it does if that is not known.
struct SenderObserver: ChipObserver {
  private(set) var wire = PinReceiver()
  /// The Arduino pin that was found; nil before, or if none was to be found.
  private(set) var pin: UInt8?
  /// A receiver for each pin, while it is not known on which the program sends; empty if it is.
  private(set) var candidates: [PinReceiver]
  private var receiving = PinSet()
  /// The length of a bit, in 256ths of a clock cycle.
  private var bitCycles: UInt64 = 256
  /// The bytes that were read and not taken yet.
  private var frames: [PinReceiver.Frame] = []

  /// `finds` is whether the pin is to be found.
  init(finds: Bool) {
    candidates = finds ? Array(repeating: PinReceiver(), count: Findings.pinCount) : []
  }

  /// Continues with what was read from a file. Returns false if there are not as many candidates as
  /// pins.
  mutating func resume(_ memory: ChipReader.Memory, _ found: inout Findings) -> Bool {
    (wire, pin, candidates) = (memory.wire, memory.sender, memory.candidates)
    if let pin { found.transmitPin = Pin(arduino: Int(pin)) }
    guard candidates.isEmpty || candidates.count == Findings.pinCount else { return false }
    for pin in candidates.indices { receiving.set(pin, candidates[pin].start != nil) }
    return true
  }

  /// Whether it is still not known on which pin the program sends.
  var isSearching: Bool { !candidates.isEmpty }

  var undecided: UInt64? {
    var first = wire.start
    for pin in receiving {
      if let start = candidates[pin].start { first = min(first ?? start, start) }
    }
    return first
  }

  /// Sets the speed of the receiver at the other end, in bits a second.
  mutating func setReceiver(baud: Int, _ rate: ClockRate) {
    bitCycles = UInt64(rate.hertz) * 256 / UInt64(baud)
  }

  /// Returns the bytes that the program has sent since the last call.
  mutating func takeFrames() -> [PinReceiver.Frame] {
    guard !frames.isEmpty else { return [] }
    defer { frames = [] }
    return frames
  }

  mutating func take(
    _ event: ChipEvent, at cycle: UInt64, _ found: inout Findings, _ recorder: inout Recorder
  ) {
    switch event {
    case .wire(let pin, let isHigh):
      if pin == found.transmitPin {
        take(wire.edge(isHigh: isHigh, at: cycle, bitCycles: bitCycles), &found, &recorder)
      } else if !candidates.isEmpty, let number = pin.arduino {
        let frame = candidates[number].edge(isHigh: isHigh, at: cycle, bitCycles: bitCycles)
        search(frame, on: number, &found, &recorder)
      }
    case .transmit:
      // A program that uses USART0 sends there.
      (candidates, receiving) = ([], PinSet())
    default: break
    }
  }

  private mutating func take(
    _ frame: PinReceiver.Frame?, _ found: inout Findings, _ recorder: inout Recorder
  ) {
    guard let frame else { return }
    for (index, cycle) in frame.edges.enumerated() {
      recorder.drive(.tx, index % 2 == 1, at: found.clock.instant(of: cycle))
    }
    frames.append(frame)
    found.insert(.transmit(frame.byte), at: frame.start)
  }

  /// Takes what was received on a pin of which it is not known whether the program sends there.
  private mutating func search(
    _ frame: PinReceiver.Frame?, on pin: Int, _ found: inout Findings, _ recorder: inout Recorder
  ) {
    guard let frame, PinReceiver.isCertain(frame, bitCycles: bitCycles),
      let name = BoardPin(arduino: pin)?.name
    else {
      return receiving.set(pin, candidates[pin].start != nil)
    }
    found.transmitPin = Pin(arduino: pin)
    self.pin = UInt8(pin)
    wire = candidates[pin]
    (candidates, receiving) = ([], PinSet())
    found.remark(.sendsOn(name), at: frame.start)
    take(frame, &found, &recorder)
  }

  mutating func settle(at cycle: UInt64, _ found: inout Findings, _ recorder: inout Recorder) {
    for pin in receiving where !candidates.isEmpty {
      let frame = candidates[pin].settle(before: cycle, bitCycles: bitCycles)
      search(frame, on: pin, &found, &recorder)
    }
    if wire.start != nil {
      take(wire.settle(before: cycle, bitCycles: bitCycles), &found, &recorder)
    }
  }

  mutating func restart(at cycle: UInt64, _ found: inout Findings, _ recorder: inout Recorder) {
    // The chip stops in the middle of a byte, and its pin is pulled up.
    recorder.drive(.tx, true, at: found.clock.instant(of: cycle))
    wire = PinReceiver()
    candidates = candidates.map { _ in PinReceiver() }
    receiving = PinSet()
  }
}
