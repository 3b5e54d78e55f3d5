import Turret

/// The course of a finished session, indexed for searching.
struct Causes: Sendable {
  let bytes: [Ledger.Entry]
  let starts: [Instant]
  let resets: [Instant]
  let scans: [Scan]
  /// The model's outputs.
  let outputs: [TimedOutput]
  let sketch: SketchDescription
  private let taken: [(time: Instant, byte: Int)]
  private let scanOfByte: [Int: Int]

  init(_ course: Course) {
    sketch = course.sketch
    bytes = course.allBytes()
    starts = course.starts
    resets = course.resets
    outputs = course.outputs
    taken = course.taken
    scans = Self.scans(bytes, course.resets, of: course.sketch)
    scanOfByte = Dictionary(uniqueKeysWithValues: scans.enumerated().map { ($1.cause, $0) })
  }

  /// Returns when a cause took effect: when a byte was taken, or when it arrived if it never was.
  /// Nil if the cause did not occur.
  func time(of cause: Cause) -> Instant? {
    switch cause {
    case .start(let number): number < starts.count ? starts[number] : nil
    case .byte(let index): index < bytes.count ? bytes[index].taken ?? bytes[index].arrived : nil
    }
  }

  /// Returns the last cause that affected the sketch by `instant`.
  func cause(by instant: Instant) -> Cause {
    let start = max(0, starts.partitioningIndex { $0 > instant } - 1)
    let after = taken.partitioningIndex { $0.time > instant }
    guard after > 0, taken[after - 1].time >= starts[start] || start == 0 else {
      return .start(start)
    }
    return .byte(taken[after - 1].byte)
  }

  /// Returns the scan in progress at `instant`, as an index into `scans`.
  func scan(at instant: Instant) -> Int? {
    let after = scans.partitioningIndex { $0.begin >= instant }
    // The end is exact, but an output is stamped in whole microseconds, rounded up.
    guard after > 0, instant <= (scans[after - 1].end ?? instant) + .microseconds(1) else {
      return nil
    }
    return after - 1
  }

  /// Returns the scan that a byte began.
  func scan(causedBy byte: Int) -> Scan? { scanOfByte[byte].map { scans[$0] } }

  private static func scans(
    _ bytes: [Ledger.Entry], _ resets: [Instant], of sketch: SketchDescription
  ) -> [Scan] {
    var scans: [Scan] = []
    var isScanning = false
    func end(at instant: Instant) {
      scans[scans.count - 1].end = instant
      isScanning = false
    }
    var resets = resets[...]
    for (index, entry) in bytes.enumerated() {
      guard let taken = entry.taken else { continue }
      while let reset = resets.first, reset <= taken {
        if isScanning { end(at: reset) }
        resets.removeFirst()
      }
      if isScanning, entry.endedScan { end(at: taken) }
      if !isScanning, entry.fate == .letter, sketch.letter(entry.byte) == .scan {
        scans.append(Scan(cause: index, begin: taken, end: nil))
        isScanning = true
      }
    }
    if isScanning, let reset = resets.first { end(at: reset) }
    return scans
  }
}

extension RandomAccessCollection where Index == Int {
  /// Returns the first index whose element satisfies `isSecond`. All elements that do not must
  /// precede those that do.
  func partitioningIndex(_ isSecond: (Element) -> Bool) -> Int {
    var (low, high) = (startIndex, endIndex)
    while low < high {
      let middle = low + (high - low) / 2
      if isSecond(self[middle]) { high = middle } else { low = middle + 1 }
    }
    return low
  }
}
