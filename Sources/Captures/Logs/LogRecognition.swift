extension CaptureHead {
  /// Recognizes a log by its first lines that are not empty: certain if one of them matches.
  func recognitionByAnyLine(_ isMatch: (UnsafeRawBufferPointer) -> Bool) -> Recognition {
    matches(isMatch) > 0 ? .certain : .no
  }

  /// The same for lines that other formats can have too: most of them must match.
  func recognitionByMostLines(_ isMatch: (UnsafeRawBufferPointer) -> Bool) -> Recognition {
    matches(isMatch) * 2 > matches { _ in true } ? .certain : .no
  }

  /// Recognizes a log by its first line.
  func recognitionByFirstLine(_ isMatch: (UnsafeRawBufferPointer) -> Bool) -> Recognition {
    matches(upTo: 1, isMatch) > 0 ? .certain : .no
  }

  /// The most lines that are examined.
  private static let linesMax = 200

  /// Returns how many of the first lines match.
  private func matches(
    upTo limit: Int = linesMax, _ isMatch: (UnsafeRawBufferPointer) -> Bool
  ) -> Int {
    // A log in a terminal's colours is recognized by its text.
    var plain = bytes
    let length = plain.withUnsafeMutableBytes { CaptureLines.stripColors($0) }
    return plain[..<length].withUnsafeBytes { bytes in
      var cursor = LineCursor(bytes, at: starts(with: "\u{FEFF}") ? 3 : 0)
      var lines = 0
      var found = 0
      while !cursor.isAtEnd, lines < limit {
        var line = cursor.takeText(upTo: 0x0a)
        // The last line can be cut.
        guard cursor.take(0x0a) || isWhole else { break }
        if line.last == 0x0d { line = UnsafeRawBufferPointer(rebasing: line.dropLast()) }
        guard !line.isEmpty else { continue }
        lines += 1
        if isMatch(line) { found += 1 }
      }
      return found
    }
  }
}
