/// First in, first out, in an array that is used again and again and does not grow beyond about twice
/// what waits.
package struct FIFO<Element> {
  private var elements: [Element] = []
  private var head = 0

  package init() {}

  @inline(__always) package var isEmpty: Bool { head == elements.count }
  @inline(__always) package var first: Element? { isEmpty ? nil : elements[head] }
  /// What waits, the oldest first.
  package var waiting: ArraySlice<Element> { elements[head...] }

  @inline(__always)
  package mutating func append(_ element: Element) {
    if head > 0 && (head == elements.count || head > 1_024 && head > elements.count / 2) {
      elements.removeFirst(head)
      head = 0
    }
    elements.append(element)
  }

  /// Takes the oldest. There must be one.
  @inline(__always)
  package mutating func removeFirst() -> Element {
    defer { head += 1 }
    return elements[head]
  }

  /// Takes the oldest off without looking.
  package mutating func dropFirst() { head += 1 }

  package mutating func removeAll() {
    elements.removeAll(keepingCapacity: true)
    head = 0
  }
}

extension FIFO: Sendable where Element: Sendable {}

extension FIFO: Equatable where Element: Equatable {
  /// Equal when the same waits.
  package static func == (a: FIFO, b: FIFO) -> Bool { a.waiting == b.waiting }
}

extension FIFO: Hashable where Element: Hashable {
  package func hash(into hasher: inout Hasher) { hasher.combine(waiting) }
}
