/// How a sender frames each byte on the line.
package struct LineFormat: Hashable, Sendable {
  package enum Parity: UInt8, Hashable, Sendable, CaseIterable {
    case none = 1
    case odd, even, mark, space
  }

  /// The minimum time for which the line is idle after a byte.
  package enum StopSize: UInt8, Hashable, Sendable, CaseIterable {
    case one = 1
    case two, oneAndAHalf
  }

  package static let dataSizes: ClosedRange<UInt8> = 5...8

  /// The bits of a byte that are sent, least significant first: 5 to 8.
  package var dataSize: UInt8 = 8
  package var parity = Parity.none
  package var stopSize = StopSize.one

  package init() {}

  /// Whether the board's own format is used.
  package var isBoards: Bool { self == LineFormat() }
}

extension LineFormat {
  /// Returns the bytes that the board's USART receives if these are sent without a gap and the line
  /// is idle before and after them. The sender has the board's speed.
  ///
  /// The board expects 8N1. It searches for a falling edge, takes the eight bits after it, whatever
  /// they are, and does not check the stop bit. It searches again after that bit. So a parity bit
  /// takes the place of a missing eighth data bit, and is otherwise ignored. If a frame is shorter
  /// than the board's, the board takes part of the next one for its end, as a real one does.
  package func received(_ bytes: [UInt8]) -> [UInt8] {
    if dataSize == 8 { return bytes }
    var result: [UInt8] = []
    // The level at the last sample, and those after it: the line is idle at first.
    var line = [true]
    for byte in bytes {
      line += levels(of: byte)
      // A decision needs a whole frame of the board's.
      while let byte = Self.sample(&line, isComplete: false) { result.append(byte) }
    }
    line += [Bool](repeating: true, count: 10)
    while let byte = Self.sample(&line, isComplete: true) { result.append(byte) }
    return result
  }

  /// The line's level in each bit time of a frame: the start bit, data, parity and stop bits. Half
  /// a stop bit counts as a whole one.
  private func levels(of byte: UInt8) -> [Bool] {
    let data = (0..<dataSize).map { byte >> $0 & 1 == 1 }
    let isOdd = data.filter { $0 }.count % 2 == 1
    let parity: [Bool] =
      switch parity {
      case .none: []
      case .odd: [!isOdd]
      case .even: [isOdd]
      case .mark: [true]
      case .space: [false]
      }
    return [false] + data + parity + (stopSize == .one ? [true] : [true, true])
  }

  /// Takes a byte from the line; nil if there is none, or not enough of it. The first level is that
  /// of the last sample.
  private static func sample(_ line: inout [Bool], isComplete: Bool) -> UInt8? {
    var start = 0
    var previous = line.first ?? true
    while start < line.count, !previous || line[start] {
      previous = line[start]
      start += 1
    }
    guard start + 10 <= line.count else {
      if isComplete { line = [] }
      return nil
    }
    var byte: UInt8 = 0
    for bit in 0..<8 where line[start + 1 + bit] { byte |= 1 << UInt8(bit) }
    // The stop bit stays, because the next edge can be at its end.
    line.removeFirst(start + 9)
    return byte
  }
}
