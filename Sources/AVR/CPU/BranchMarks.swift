/// Which way a program took at each of its instructions: to the word behind its first, or
/// elsewhere, as a branch that is taken, a skip, a jump, a call or a return does. An instruction of
/// two words always leads elsewhere.
struct BranchMarks: Sendable {
  /// Two bytes for each word address, and for the one before the first; empty if none are kept.
  private var marks: [UInt8] = []

  /// Padded to whole words of eight bytes.
  private static let size = (place(of: Flash.codeCount, jumped: true) + 8) & ~7

  @inline(__always) static func place(of address: Int, jumped: Bool) -> Int {
    (address + 1) * 2 + (jumped ? 1 : 0)
  }

  var areKept: Bool { !marks.isEmpty }

  mutating func keep() {
    if marks.isEmpty { marks = Array(repeating: 0, count: Self.size) }
  }

  /// Only if they are kept.
  @inline(__always)
  mutating func withMemory(_ body: (UnsafeMutablePointer<UInt8>) -> Void) {
    marks.withUnsafeMutableBufferPointer { body($0.baseAddress!) }
  }

  /// Calls `body` for each place that is marked, in order.
  func forEach(_ body: (UInt32) -> Void) {
    marks.withUnsafeBytes { bytes in
      for start in stride(from: 0, to: bytes.count, by: 8)
      where bytes.loadUnaligned(fromByteOffset: start, as: UInt64.self) != 0 {
        for place in start..<start + 8 where bytes[place] != 0 && place >= 2 {
          body(UInt32(truncatingIfNeeded: place))
        }
      }
    }
  }
}
