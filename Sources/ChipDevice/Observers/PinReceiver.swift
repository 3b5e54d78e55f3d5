import AVR
import Sketches

/// Reads the bytes that a program puts on a pin by software (8N1), as the receiver at the other end
/// of the line does: each bit in its middle.
struct PinReceiver: Hashable, Sendable, Codable {
  /// A byte, when its start bit began, and when it was complete, in clock cycles.
  struct Frame: Hashable {
    var byte: UInt8
    var start: UInt64
    var end: UInt64
    /// The edges, of which the first falls and each further one is the opposite.
    var edges: [UInt64]
    var hasStop: Bool
  }

  private static let bits: UInt64 = 10
  /// How many edges show that a pin sends bytes, if each is where a bit can begin.
  private static let enough = 4

  /// The level of the line. An idle line is high.
  private(set) var isHigh = true
  /// The start bit of the byte that is being received; nil if the line is idle.
  private(set) var start: UInt64?
  /// The bits that have been read, the start bit first.
  private var shift: UInt16 = 0
  private var count: UInt64 = 0
  /// The edges since the start bit began.
  private var edges: [UInt64] = []

  /// Whether a byte's edges are certainly those of a serial line: several, each within a twelfth of
  /// a bit of where a bit begins, with a high stop bit, and not all equally far apart as those of a
  /// tone or of a stepper motor's pulses.
  static func isCertain(_ frame: Frame, bitCycles: UInt64) -> Bool {
    guard frame.hasStop, frame.edges.count >= enough else { return false }
    var bits: [UInt64] = []
    for edge in frame.edges {
      let place = (edge &- frame.start) << 8
      let late = place % bitCycles
      guard min(late, bitCycles - late) <= bitCycles / 12 else { return false }
      bits.append((place &+ bitCycles / 2) / bitCycles)
    }
    let distances = zip(bits.dropFirst(), bits).map { $0 &- $1 }
    return distances.contains { $0 != distances[0] }
  }

  /// Takes an edge. `bitCycles` is the length of a bit in 256ths of a clock cycle.
  mutating func edge(isHigh level: Bool, at cycle: UInt64, bitCycles: UInt64) -> Frame? {
    let frame = settle(before: cycle, bitCycles: bitCycles)
    if isHigh, !level, start == nil { start = cycle }
    if start != nil { edges.append(cycle) }
    isHigh = level
    return frame
  }

  /// Reads the bits whose middle is before a cycle. Returns the byte that this completes.
  mutating func settle(before cycle: UInt64, bitCycles: UInt64) -> Frame? {
    while let start {
      let middle = start &+ ((2 * count + 1) &* bitCycles) >> 9
      guard middle < cycle else { return nil }
      shift = shift >> 1 | (isHigh ? 0x200 : 0)
      count += 1
      if count == 1, isHigh {
        // A spike, not a start bit.
        clear()
      } else if count >= Self.bits {
        let word = shift
        let edges = edges
        clear()
        // A line that stays low sends nothing.
        if word == 0 { return nil }
        return Frame(
          byte: UInt8(truncatingIfNeeded: word >> 1), start: start, end: middle, edges: edges,
          hasStop: word & 0x200 != 0)
      }
    }
    return nil
  }

  private mutating func clear() {
    start = nil
    shift = 0
    count = 0
    edges = []
  }
}
