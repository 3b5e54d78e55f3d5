/// The sections of a file that contain its debug information: parts of the file, empty if it has
/// none.
struct DebugSections: Hashable, Sendable {
  var info: ArraySlice<UInt8> = []
  var abbreviations: ArraySlice<UInt8> = []
  var strings: ArraySlice<UInt8> = []
  var lineStrings: ArraySlice<UInt8> = []
  var stringOffsets: ArraySlice<UInt8> = []
  var addresses: ArraySlice<UInt8> = []
  var lines: ArraySlice<UInt8> = []
  var frames: ArraySlice<UInt8> = []
  /// Lists of ranges and of locations: before DWARF 5, and since.
  var ranges: ArraySlice<UInt8> = []
  var rangeLists: ArraySlice<UInt8> = []
  var locations: ArraySlice<UInt8> = []
  var locationLists: ArraySlice<UInt8> = []
  /// Whether there is debug information in the older format stabs.
  var hasStabs = false
}

extension Array {
  /// Returns the last element whose code begins at or before a byte address of the flash, if it
  /// contains that. The elements are in order of where their code begins.
  func last(at address: UInt32, _ code: (Element) -> Range<UInt32>) -> Element? {
    var low = 0
    var high = count
    while low < high {
      let middle = (low + high) / 2
      if code(self[middle]).lowerBound <= address { low = middle + 1 } else { high = middle }
    }
    guard low > 0, code(self[low - 1]).contains(address) else { return nil }
    return self[low - 1]
  }
}
