/// A page of the flash that is not as the program brought it.
struct FlashPage: Hashable, Sendable, Saved {
  /// From 0, 64 words each.
  var number: Int
  var words: [UInt16]

  static func changed(in flash: Flash, since original: Flash) -> [FlashPage] {
    guard flash != original else { return [] }
    return (0..<Flash.wordCount / Flash.pageWords).compactMap { number in
      let words = flash.page(number)
      return words == original.page(number) ? nil : FlashPage(number: number, words: Array(words))
    }
  }

  /// Whether there is such a page: what was read from a file may be none.
  var isPossible: Bool {
    (0..<Flash.wordCount / Flash.pageWords).contains(number) && words.count == Flash.pageWords
  }
}
