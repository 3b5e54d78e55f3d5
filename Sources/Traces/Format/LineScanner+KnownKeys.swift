extension LineScanner {
  /// Takes an object some of whose keys are known. `member` is called for each known key with its
  /// index and takes the value. Other keys are skipped with their values. A known key must not
  /// occur twice.
  ///
  /// Returns the known keys that are present, one bit each. `keys` are ASCII, at most 64.
  package mutating func takeObject(
    _ what: StaticString, keys: [StaticString],
    _ member: (Int, inout LineScanner) throws(Failure) -> Void
  ) throws(Failure) -> UInt64 {
    try take("{", what)
    if takeIf("}") { return 0 }
    var seen: UInt64 = 0
    var others: Set<String> = []
    repeat {
      skipSpace()
      let offset = position
      var index: Int?
      var other: String?
      if let plain = takePlainString() {
        index = keys.firstIndex { Self.isSame(plain, $0) }
        if index == nil { other = String(decoding: plain, as: UTF8.self) }
      } else {
        let text = try takeText("a key in quotes")
        index = keys.firstIndex { $0.description == text }
        if index == nil { other = text }
      }
      let isNew = index.map { seen & (1 << $0) == 0 } ?? others.insert(other ?? "").inserted
      guard isNew else {
        let key = index.map { keys[$0].description } ?? other ?? ""
        throw Failure(
          offset: offset, message: "expected each key once, found \(PlainText.quoted(key)) again")
      }
      try take(":", "':'")
      if let index {
        seen |= 1 << index
        try member(index, &self)
      } else {
        _ = try takeValue()
      }
    } while takeIf(",")
    try take("}", "',' or '}'")
    return seen
  }

  @inline(__always)
  private static func isSame(_ text: UnsafeRawBufferPointer, _ key: StaticString) -> Bool {
    guard text.count == key.utf8CodeUnitCount else { return false }
    for index in 0..<text.count where text[index] != key.utf8Start[index] { return false }
    return true
  }

  /// Takes a list. `item` takes each element.
  package mutating func takeList(
    _ what: StaticString, _ item: (inout LineScanner) throws(Failure) -> Void
  ) throws(Failure) {
    try take("[", what)
    if takeIf("]") { return }
    repeat { try item(&self) } while takeIf(",")
    try take("]", "',' or ']'")
  }
}
