/// The answer of guarded to `?`, reduced to what the bench needs.
///
///     090 hold ok=00012 no=00003 lost=00000 drop=00000
struct StatusLine: Hashable, Sendable {
  var degrees: UInt8
  var isSweeping: Bool
  var accepted: Int

  /// Parses a line without its LF. Returns nil if it is not a status line.
  init?(_ bytes: [UInt8]) {
    let words = String(decoding: bytes, as: UTF8.self).split(
      separator: " ", omittingEmptySubsequences: false)
    guard bytes.count == 48, words.count == 6, words[0].count == 3, let degrees = UInt8(words[0]),
      degrees <= 180, words[1] == "hold" || words[1] == "scan", words[2].hasPrefix("ok="),
      let accepted = Int(words[2].dropFirst(3)), words[3].hasPrefix("no="),
      words[4].hasPrefix("lost="), words[5].hasPrefix("drop=")
    else { return nil }
    self.degrees = degrees
    isSweeping = words[1] == "scan"
    self.accepted = accepted
  }
}
