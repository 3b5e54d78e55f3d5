import AVR
import Sketches

struct ChannelObserver: ChipObserver {
  private let parts: ChipWiring
  private var watched: Set<BoardPin> = []
  var servos: Set<BoardPin> = []
  /// The rising edges of the pulses that are to be shown and have not ended.
  private var rises: [BoardPin: UInt64] = [:]

  init(_ parts: ChipWiring) { self.parts = parts }

  var undecided: UInt64? { rises.values.min() }

  mutating func watch(_ pins: PinSelection) {
    if case .some(let pins) = pins { watched.formUnion(pins.filter { parts.part(of: $0) != nil }) }
  }

  /// The channels whose levels the drivers must report. `pulses` is whether those of all are shown.
  func followed(pulses: Bool) -> Set<BoardPin> {
    guard pulses else { return watched }
    return watched.union(
      parts.parts.indices.flatMap { part in
        (0..<16 as Range<UInt8>).compactMap { parts.channel($0, of: UInt8(part)) }
      })
  }

  mutating func take(
    _ event: ChipEvent, at cycle: UInt64, _ found: inout Findings, _ recorder: inout Recorder
  ) {
    guard case .part(let part, let output) = event else { return }
    switch output {
    case .pulses(let channel, let microseconds, let period):
      guard let pin = parts.channel(channel, of: part) else { return }
      pulses(on: pin, microseconds, period, at: cycle, &found)
    case .level(let channel, let isHigh):
      guard let pin = parts.channel(channel, of: part) else { return }
      level(of: pin, isHigh, at: cycle, &found)
    }
  }

  /// Takes the pulses that a channel has now.
  private mutating func pulses(
    on pin: BoardPin, _ microseconds: UInt16, _ period: UInt32, at cycle: UInt64,
    _ found: inout Findings
  ) {
    guard PulseLimits.periods.contains(UInt64(period)),
      PulseLimits.widths.contains(UInt64(microseconds))
    else {
      if servos.remove(pin) != nil { found.put(.detached(pin, isHigh: false), at: cycle) }
      return
    }
    servos.insert(pin)
    let degrees = found.range.degrees(reading: microseconds)
    found.put(.servo(degrees: degrees, microseconds: microseconds, on: pin), at: cycle)
    found.remark(.assumesRange, at: cycle)
  }

  private mutating func level(
    of pin: BoardPin, _ isHigh: Bool, at cycle: UInt64, _ found: inout Findings
  ) {
    if watched.contains(pin) { found.put(.pin(pin, isHigh: isHigh), at: cycle) }
    if isHigh {
      if found.showsPulses, servos.contains(pin) { rises[pin] = cycle }
    } else if let rise = rises.removeValue(forKey: pin) {
      let width = found.limits.microseconds(cycle - rise)
      found.insert(.pulse(microseconds: width, on: pin), at: rise)
    }
  }

  /// Gives up pulses that are longer than a servo's.
  mutating func settle(at cycle: UInt64, _ found: inout Findings, _ recorder: inout Recorder) {
    guard !rises.isEmpty else { return }
    rises = rises.filter { cycle - $0.value <= found.limits.longest }
  }
}
