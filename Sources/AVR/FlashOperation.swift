/// A change that SPM makes to the flash. Addresses are word addresses and begin a 64-word page.
enum FlashOperation: Hashable, Sendable {
  case erase(page: UInt16)
  /// Programs the words into erased flash: bits only change from 1 to 0.
  case write(page: UInt16, words: [UInt16])
}
