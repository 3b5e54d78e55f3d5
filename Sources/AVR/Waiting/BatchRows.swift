/// The state of many iterations of a loop: one row for each register or byte of memory, one column
/// for each iteration.
///
/// The functions are plain loops over rows that do not overlap, so that the compiler vectorizes
/// them.
struct BatchRows {
  static let columns = 64
  static let sreg = 32
  static let cells = 33
  static let cellsMax = 24
  /// Holds results before they replace an operand.
  private static let scratch = cells + cellsMax
  /// A temporary row for callers.
  static let spare = scratch + 2
  static let bytes = (spare + 1) * columns

  let base: UnsafeMutablePointer<UInt8>

  @inline(__always) subscript(row: Int) -> UnsafeMutablePointer<UInt8> { base + row * Self.columns }

  @inline(__always) func fill(_ row: Int, _ value: UInt8) {
    self[row].update(repeating: value, count: Self.columns)
  }

  @inline(__always) func copy(_ row: Int, to other: Int) {
    copy(self[row], to: self[other])
  }

  /// Copies between a row and other memory. Copies raw bytes, because `update(from:count:)` first
  /// checks how the two ranges overlap.
  @inline(__always) func copy(
    _ source: UnsafeMutablePointer<UInt8>, to target: UnsafeMutablePointer<UInt8>,
    count: Int = columns
  ) {
    UnsafeMutableRawPointer(target).copyMemory(from: source, byteCount: count)
  }

  /// The value that all columns share; nil if they differ.
  func uniform(_ row: Int) -> UInt8? {
    let first = self[row][0]
    return (1..<Self.columns).allSatisfy { self[row][$0] == first } ? first : nil
  }

  /// One bit for each column: whether its value matches.
  @inline(__always) func bits(_ row: Int, where matches: (UInt8) -> Bool) -> UInt64 {
    let flags = self[Self.scratch]
    for column in 0..<Self.columns { flags[column] = matches(self[row][column]) ? 1 : 0 }
    return gather(flags)
  }

  /// One bit for each column: whether the two rows agree there.
  @inline(__always) func bits(
    _ row: UnsafeMutablePointer<UInt8>, equal other: UnsafeMutablePointer<UInt8>
  ) -> UInt64 {
    let flags = self[Self.scratch]
    for column in 0..<Self.columns { flags[column] = row[column] == other[column] ? 1 : 0 }
    return gather(flags)
  }

  /// Collects the lowest bit of each byte.
  private func gather(_ flags: UnsafeMutablePointer<UInt8>) -> UInt64 {
    var result: UInt64 = 0
    for group in 0..<8 {
      let bytes = UnsafeRawPointer(flags + group * 8).load(as: UInt64.self)
      // The bit of byte i ends up in bit 56 + i.
      result |= ((bytes &* 0x0102_0408_1020_4080) >> 56) << UInt64(group * 8)
    }
    return result
  }

  /// Applies `operation` to rows `d` and `r` and SREG in each column, and stores the result in row
  /// `d`.
  @inline(__always) func combine(
    _ d: Int, _ r: Int, keepsResult: Bool = true,
    _ operation: (UInt8, UInt8, inout UInt8) -> UInt8
  ) {
    let a = self[d]
    let b = self[r]
    let sreg = self[Self.sreg]
    let result = self[Self.scratch]
    let flags = self[Self.scratch + 1]
    for column in 0..<Self.columns {
      var status = sreg[column]
      result[column] = operation(a[column], b[column], &status)
      flags[column] = status
    }
    if keepsResult { copy(Self.scratch, to: d) }
    copy(Self.scratch + 1, to: Self.sreg)
  }

  /// Applies `operation` to row `d` and a constant.
  @inline(__always) func combine(
    _ d: Int, constant k: UInt8, keepsResult: Bool = true,
    _ operation: (UInt8, UInt8, inout UInt8) -> UInt8
  ) {
    combine(d, d, keepsResult: keepsResult) { a, _, sreg in operation(a, k, &sreg) }
  }

  /// Applies `operation` to rows `d` and `d + 1` as a 16-bit word.
  @inline(__always) func combineWord(
    _ d: Int, _ k: UInt16, _ operation: (UInt16, UInt16, inout UInt8) -> UInt16
  ) {
    for column in 0..<Self.columns {
      let word = UInt16(self[d + 1][column]) << 8 | UInt16(self[d][column])
      let result = operation(word, k, &self[Self.sreg][column])
      self[d][column] = UInt8(truncatingIfNeeded: result)
      self[d + 1][column] = UInt8(truncatingIfNeeded: result >> 8)
    }
  }

  /// Moves each value to the next column; the first column gets `first`.
  @inline(__always) func shift(_ row: Int, first: UInt8) {
    copy(self[row], to: self[row] + 1, count: Self.columns - 1)
    self[row][0] = first
  }
}
