/// What SPM does to the flash. Addresses are in words and begin a page of 64 words.
enum FlashOperation: Hashable, Sendable {
  case erase(page: UInt16)
  /// The words are programmed into erased flash: bits only go from 1 to 0.
  case write(page: UInt16, words: [UInt16])
}
