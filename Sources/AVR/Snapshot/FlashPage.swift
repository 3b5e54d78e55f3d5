/// A page of the flash whose contents have changed since power-on.
struct FlashPage: Hashable, Sendable, Saved {
  /// The page's number from 0; each page has 64 words.
  var number: Int
  var words: [UInt16]

  static func changed(in flash: Flash, since original: Flash) -> [FlashPage] {
    guard flash != original else { return [] }
    return (0..<Flash.wordCount / Flash.pageWords).compactMap { number in
      let words = flash.page(number)
      return words == original.page(number) ? nil : FlashPage(number: number, words: Array(words))
    }
  }

  /// Whether such a page exists; one read from a file can be invalid.
  var isPossible: Bool {
    (0..<Flash.wordCount / Flash.pageWords).contains(number) && words.count == Flash.pageWords
  }
}
