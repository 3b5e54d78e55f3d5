/// Maps the identifiers of a value change dump to channels. Most identifiers have one or two
/// characters.
struct VCDIdentifiers {
  /// Stands for a variable that is declared, but is not a channel.
  static let skipped = -1
  private static let undeclared = -2

  private var byByte = [Int](repeating: undeclared, count: 256)
  private var others: [[UInt8]: Int] = [:]

  mutating func declare(_ identifier: String, channel: Int) {
    let bytes = identifier.unicodeScalars.map { UInt8(truncatingIfNeeded: $0.value) }
    if bytes.count == 1 { byByte[Int(bytes[0])] = channel } else { others[bytes] = channel }
  }

  mutating func skip(_ identifier: String) { declare(identifier, channel: Self.skipped) }

  func isSkipped(_ identifier: String) -> Bool {
    let bytes = identifier.unicodeScalars.map { UInt8(truncatingIfNeeded: $0.value) }
    return (bytes.count == 1 ? byByte[Int(bytes[0])] : others[bytes]) == Self.skipped
  }

  /// Returns the channel, or `skipped`; nil for an identifier that is not declared.
  @inline(__always)
  func channel(_ identifier: UnsafeRawBufferPointer) -> Int? {
    if identifier.count == 1 {
      let channel = byByte[Int(identifier[0])]
      return channel == Self.undeclared ? nil : channel
    }
    return others[Array(identifier)]
  }
}
