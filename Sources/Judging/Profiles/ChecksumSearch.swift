import Sketches

/// Finds the checksum that commands have in common.
enum ChecksumSearch {
  /// Returns the checksums that a byte of all commands could be; the first is the most likely.
  static func binary(in commands: [[UInt8]], at place: Int) -> [CommandChecksum] {
    guard let example = commands.first, place > 0, place < example.count else { return [] }
    var found: [CommandChecksum] = []
    for first in 1...place {
      for last in [-1] + Array(stride(from: place - 1, through: first, by: -1)) {
        for kind in CommandChecksum.Kind.allCases {
          let checksum = CommandChecksum(kind, first: first, last: last)
          if commands.allSatisfy({ checksum.value(after: $0[..<place]) == $0[place] }) {
            found.append(checksum)
          }
        }
      }
    }
    return found
  }

  /// Returns the checksum in two hexadecimal digits before the line end that all commands have; nil
  /// if they have none. A single command proves nothing.
  static func text(in commands: [[UInt8]]) -> CommandChecksum? {
    let bodies = commands.map { Array($0.dropLast(CommandShape.lineEndCount(of: $0))) }
    guard Set(bodies).count > 1, bodies.allSatisfy({ $0.count > 4 }) else { return nil }
    for first in 1...3 {
      for last in [-2, -1] {
        for kind in CommandChecksum.Kind.allCases {
          let checksum = CommandChecksum(kind, isHexadecimal: true, first: first, last: last)
          let fits = bodies.allSatisfy { body in
            let digits = body.suffix(2).map { $0 >= 0x61 && $0 <= 0x66 ? $0 & ~0x20 : $0 }
            return checksum.bytes(after: body.dropLast(2)) == digits
          }
          if fits { return checksum }
        }
      }
    }
    return nil
  }
}
