@testable import AVR

/// A program's action that is visible from outside, or nearly so.
struct SeenEvent: Hashable {
  enum What: Hashable {
    /// The level of PB1, the servo's pin.
    case level(Bool)
    /// The length of the pulse that OCR1A sets, in cycles.
    case width(UInt32)
  }

  var cycle: UInt64
  var what: What

  init(cycle: UInt64, what: What) {
    self.cycle = cycle
    self.what = what
  }

  /// Nil for an event that is not compared.
  init?(_ event: TimedChipEvent) {
    cycle = event.cycle
    switch event.event {
    case .pin(Pin(.B, 1), let isHigh): what = .level(isHigh)
    case .waveform(let compare) where compare.unit == .OC1A && compare.drivesPin:
      guard let pulse = compare.pulseCycles else { return nil }
      what = .width(pulse)
    default: return nil
    }
  }
}

extension [SeenEvent] {
  /// The widths that differ from the one before.
  var widths: [SeenEvent] {
    var last: SeenEvent.What?
    return filter {
      guard case .width = $0.what, $0.what != last else { return false }
      last = $0.what
      return true
    }
  }

  var levels: [SeenEvent] {
    filter { if case .level = $0.what { true } else { false } }
  }
}
