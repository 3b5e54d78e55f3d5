/// A first-in, first-out queue in an array that is reused. The array does not grow beyond about
/// twice the number of waiting elements.
///
/// Public and inlinable because another module uses it on every event: a `package` type is not
/// inlined there, and so not specialised for its elements, which costs a factor of two.
public struct FIFO<Element> {
  @usableFromInline var elements: [Element] = []
  @usableFromInline var head = 0

  @inlinable public init() {}

  /// Creates a queue that holds `waiting`, the oldest first.
  @inlinable init(_ waiting: [Element]) { elements = waiting }

  @inlinable public var isEmpty: Bool { head == elements.count }
  @inlinable public var first: Element? { isEmpty ? nil : elements[head] }
  @inlinable public var count: Int { elements.count - head }
  /// A waiting element; 0 is the oldest.
  @inlinable public subscript(index: Int) -> Element { elements[head + index] }
  /// The waiting elements, the oldest first.
  @inlinable public var waiting: ArraySlice<Element> { elements[head...] }

  @inlinable
  public mutating func append(_ element: Element) {
    if head > 0 && (head == elements.count || head > 1_024 && head > elements.count / 2) {
      elements.removeFirst(head)
      head = 0
    }
    elements.append(element)
  }

  /// Removes and returns the oldest element. The queue must not be empty.
  @inlinable
  public mutating func removeFirst() -> Element {
    defer { head += 1 }
    return elements[head]
  }

  /// Returns the index of the first waiting element that is `late`, or the count if none is. All
  /// after one that is late must be late, too.
  public func indexOfFirst(_ isLate: (Element) -> Bool) -> Int {
    var (low, high) = (head, elements.count)
    if low < high, isLate(elements[low]) { return 0 }
    while low < high {
      let middle = low + (high - low) / 2
      if isLate(elements[middle]) { high = middle } else { low = middle + 1 }
    }
    return low - head
  }

  /// Inserts an element before the waiting one at `index`, or at the end if that is the count.
  @inlinable public mutating func insert(_ element: Element, at index: Int) {
    elements.insert(element, at: head + index)
  }

  /// Passes the waiting elements to `change`, the newest first, until it returns true.
  mutating func changeLast(_ change: (inout Element) -> Bool) {
    var index = elements.count
    while index > head {
      index -= 1
      if change(&elements[index]) { return }
    }
  }

  /// Removes the oldest element without returning it.
  @inlinable public mutating func dropFirst() { head += 1 }

  @inlinable public mutating func removeAll() {
    elements.removeAll(keepingCapacity: true)
    head = 0
  }
}

#if !hasFeature(Embedded)
  /// The waiting elements, as a list.
  extension FIFO: Codable where Element: Codable {
    public init(from decoder: any Decoder) throws { self.init(try Array(from: decoder)) }
    public func encode(to encoder: any Encoder) throws { try Array(waiting).encode(to: encoder) }
  }
#endif

extension FIFO: Sendable where Element: Sendable {}

extension FIFO: Equatable where Element: Equatable {
  /// Queues are equal if the same elements wait in them.
  public static func == (a: FIFO, b: FIFO) -> Bool { a.waiting == b.waiting }
}

extension FIFO: Hashable where Element: Hashable {
  public func hash(into hasher: inout Hasher) { hasher.combine(waiting) }
}
