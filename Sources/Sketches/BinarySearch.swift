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

extension ArraySlice {
  /// Removes the first elements that are over, but for the last `tail` of those. The others keep
  /// their indices.
  package mutating func drop(tail: Int, where isOver: (Element) -> Bool) {
    self = self[dropping(tail: tail, where: isOver)...]
  }

  /// Returns the index of the first element that this would keep.
  package func dropping(tail: Int, where isOver: (Element) -> Bool) -> Int {
    Swift.max(startIndex, (firstIndex { !isOver($0) } ?? endIndex) - tail)
  }
}
