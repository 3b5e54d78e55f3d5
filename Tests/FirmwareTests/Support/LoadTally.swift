import AVR

/// Counts the events of the guarded sketch while bytes arrive.
struct LoadTally: CustomStringConvertible {
  private static let period: UInt64 = 320_000

  /// The bytes that the receive interrupt read, and those that it or the USART lost.
  private(set) var received = 0
  private(set) var lost = 0
  private(set) var sent = 0
  private(set) var resets = 0
  private(set) var pulses = 0
  private(set) var servoWrites = 0
  /// The cycles of rising edges that were not exactly one period after the previous one, and of
  /// falling edges that did not match the pulse width stored before.
  private(set) var shiftedEdges: [UInt64] = []
  private(set) var wrongWidths: [UInt64] = []
  private var rise: UInt64?
  private var stored: UInt64?
  private var commanded: UInt64?

  mutating func take(_ events: [TimedChipEvent]) {
    for event in events {
      switch event.event {
      case .received: received += 1
      case .overrun, .dropped: lost += 1
      case .transmit: sent += 1
      case .reset: resets += 1
      default: break
      }
      if let width = event.servoCycles {
        stored = UInt64(width)
        servoWrites += 1
      }
      if let isHigh = event.servoPin { edge(isHigh, at: event.cycle) }
    }
  }

  private mutating func edge(_ isHigh: Bool, at cycle: UInt64) {
    if isHigh {
      if let rise, cycle != rise + Self.period { shiftedEdges.append(cycle) }
      rise = cycle
      commanded = stored
    } else if let rise {
      pulses += 1
      if let commanded, cycle - rise != commanded { wrongWidths.append(rise) }
    }
  }

  var description: String {
    """
    \(received) bytes received, \(lost) lost, \(sent) sent, \(servoWrites) widths stored, \(pulses) \
    pulses, \(shiftedEdges.count) shifted, \(wrongWidths.count) of a wrong width
    """
  }
}
