/// First in, first out, in an array that is used again and again and does not grow beyond about
/// twice what waits.
///
/// Public and inlinable only so that the code of another module, which uses it on every event, is
/// compiled for its elements: what is `package` is not inlined there, which costs a factor of two.
public struct FIFO<Element> {
  @usableFromInline var elements: [Element] = []
  @usableFromInline var head = 0

  @inlinable public init() {}

  /// What waits from the start, the oldest first.
  @inlinable init(_ waiting: [Element]) { elements = waiting }

  @inlinable public var isEmpty: Bool { head == elements.count }
  @inlinable public var first: Element? { isEmpty ? nil : elements[head] }
  /// What waits, the oldest first.
  @inlinable public var waiting: ArraySlice<Element> { elements[head...] }

  @inlinable
  public mutating func append(_ element: Element) {
    if head > 0 && (head == elements.count || head > 1_024 && head > elements.count / 2) {
      elements.removeFirst(head)
      head = 0
    }
    elements.append(element)
  }

  /// Takes the oldest. There must be one.
  @inlinable
  public mutating func removeFirst() -> Element {
    defer { head += 1 }
    return elements[head]
  }

  /// Takes the oldest off without looking.
  @inlinable public mutating func dropFirst() { head += 1 }

  @inlinable public mutating func removeAll() {
    elements.removeAll(keepingCapacity: true)
    head = 0
  }
}

extension FIFO: Sendable where Element: Sendable {}

extension FIFO: Equatable where Element: Equatable {
  /// Equal when the same waits.
  public static func == (a: FIFO, b: FIFO) -> Bool { a.waiting == b.waiting }
}

extension FIFO: Hashable where Element: Hashable {
  public func hash(into hasher: inout Hasher) { hasher.combine(waiting) }
}
