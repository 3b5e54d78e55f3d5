package import NIOHTTP1

extension HTTPRequestHead {
  /// Removes the white space around each field's value, which is not part of the value (RFC 9110,
  /// 5.5). The decoder leaves a trailing tab.
  package var trimmed: HTTPRequestHead {
    var head = self
    head.headers = HTTPHeaders(headers.map { ($0.name, Self.trimmed($0.value)) })
    return head
  }

  private static func trimmed(_ value: String) -> String {
    func isBlank(_ byte: UInt8) -> Bool { byte == UInt8(ascii: " ") || byte == UInt8(ascii: "\t") }
    let start = value.utf8.drop(while: isBlank)
    let end = start.lastIndex { !isBlank($0) }.map { start.index(after: $0) } ?? start.startIndex
    return String(value[start.startIndex..<end])
  }
}
