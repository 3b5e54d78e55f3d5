import Traces
import Turret

/// A piece of a session's input to a board: bytes without a pause between them, or a level or
/// voltage.
enum SessionPiece: Hashable, Sendable {
  case bytes([UInt8], pauseBefore: Interval)
  case input(BoardInput)

  /// A longer pause divides bytes.
  private static let pauseMax = Interval.milliseconds(50)

  /// Returns the session's inputs in pieces. `baud` is the speed of its sender.
  static func pieces(_ events: [Event], baud: Int) -> [SessionPiece] {
    let byte = ByteClock.byteTime(baud: baud).nanoseconds
    var pieces: [SessionPiece] = []
    var lineEnd = Instant.zero
    for event in events {
      switch event.kind {
      case .receive(let bytes):
        let start = max(event.time, lineEnd)
        let pause = start - lineEnd
        lineEnd = start + Interval(nanoseconds: byte * Int64(bytes.count))
        if pause <= pauseMax, case .bytes(let earlier, let before)? = pieces.last {
          pieces[pieces.count - 1] = .bytes(earlier + bytes, pauseBefore: before)
        } else {
          pieces.append(.bytes(bytes, pauseBefore: pause))
        }
      case .input(let input): pieces.append(.input(input))
      default: break
      }
    }
    return pieces
  }

  /// Returns the bytes that end the lines of a session; empty if it has binary bytes or no lines.
  static func lineEnd(of bytes: [UInt8]) -> [UInt8] {
    let (feed, carriage): (UInt8, UInt8) = (0x0A, 0x0D)
    let isText = bytes.allSatisfy {
      (0x20...0x7E).contains($0) || $0 == feed || $0 == carriage || $0 == 0x09
    }
    guard isText, let first = bytes.firstIndex(where: { $0 == feed || $0 == carriage }) else {
      return []
    }
    if bytes[first] == feed { return [feed] }
    let next = first + 1
    return next < bytes.count && bytes[next] == feed ? [carriage, feed] : [carriage]
  }
}
