// What several of the protocols here need of bytes and texts in ASCII.

extension UInt8 {
  var isLetter: Bool { (UInt8(ascii: "a")...UInt8(ascii: "z")).contains(self | 0x20) }
  var isDigit: Bool { (UInt8(ascii: "0")...UInt8(ascii: "9")).contains(self) }
  /// Whether it is a space or a tab.
  var isBlank: Bool { self == UInt8(ascii: " ") || self == UInt8(ascii: "\t") }
  /// The value of a hexadecimal digit; nil for anything else.
  var hexDigit: UInt8? { Character(Unicode.Scalar(self)).hexDigitValue.map { UInt8($0) } }
}

extension BidirectionalCollection {
  /// What is left without the blank elements at both ends.
  func trimmed(where isBlank: (Element) -> Bool) -> SubSequence {
    guard let first = firstIndex(where: { !isBlank($0) }),
      let last = lastIndex(where: { !isBlank($0) })
    else { return self[endIndex...] }
    return self[first...last]
  }
}
