extension RandomAccessCollection where Index == Int {
  /// Returns the first index whose element satisfies `isSecond`. All elements that do not must
  /// precede those that do.
  package func partitioningIndex(_ isSecond: (Element) -> Bool) -> Int {
    var (low, high) = (startIndex, endIndex)
    while low < high {
      let middle = low + (high - low) / 2
      if isSecond(self[middle]) { high = middle } else { low = middle + 1 }
    }
    return low
  }
}
