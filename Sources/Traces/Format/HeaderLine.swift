/// The members of a header: the first line of a trace, or of observations.
package struct HeaderLine {
  package let members: [(key: String, value: JSONValue, offset: Int)]
  /// Where its closing brace is, as an offset in bytes.
  package let end: Int

  /// Throws if the line is not a header of that format.
  package init(
    _ scanner: inout LineScanner, format: String, version: String
  ) throws(LineScanner.Failure) {
    var members: [(key: String, value: JSONValue, offset: Int)] = []
    try scanner.expectNext("{", "a header, which starts with '{'")
    try scanner.takeObject { (key, _, scanner) throws(LineScanner.Failure) in
      scanner.skipSpace()
      let offset = scanner.position
      members.append((key, try scanner.takeValue(), offset))
    }
    self.members = members
    end = scanner.position - 1
    try scanner.takeEnd()
    let (found, number) = (self["format"], self["version"])
    guard found?.value == .string(format), number?.value == .number(version) else {
      let wrong = found?.value == .string(format) ? number : found
      throw .init(
        offset: wrong?.offset ?? end,
        message: "expected format \"\(format)\" version \(version), found format "
          + "\(found?.value.noun ?? "none") version \(number?.value.noun ?? "none")")
    }
  }

  package subscript(key: String) -> (value: JSONValue, offset: Int)? {
    members.first { $0.key == key }.map { ($0.value, $0.offset) }
  }
}
