/// The I-th (from 1) of N parts of a list: those with index mod N = I - 1.
package struct Shard: Hashable, Sendable {
  private let index: Int
  private let count: Int

  /// - Parameters:
  ///   - index: from 1.
  ///   - count: at least `index`.
  package init(_ index: Int, of count: Int) {
    self.index = index
    self.count = count
  }

  /// Returns the part of a list.
  package func part<Element>(of all: [Element]) -> [Element] {
    all.enumerated().filter { $0.offset % count == index - 1 }.map(\.element)
  }
}
