/// First in, first out, in an array that is used again and again.
struct FIFO<Element> {
  private var elements: [Element] = []
  private var head = 0

  @inline(__always) var isEmpty: Bool { head == elements.count }
  @inline(__always) var count: Int { elements.count - head }
  @inline(__always) var first: Element? { isEmpty ? nil : elements[head] }

  subscript(index: Int) -> Element { elements[head + index] }

  @inline(__always)
  mutating func append(_ element: Element) {
    if head > 0 && head == elements.count {
      elements.removeAll(keepingCapacity: true)
      head = 0
    } else if head > 1_024 && head > elements.count / 2 {
      elements.removeFirst(head)
      head = 0
    }
    elements.append(element)
  }

  @inline(__always)
  mutating func removeFirst() -> Element {
    defer { head += 1 }
    return elements[head]
  }

  mutating func removeFirst(_ count: Int) { head += count }
  mutating func removeAll() {
    elements.removeAll(keepingCapacity: true)
    head = 0
  }
}

extension FIFO: Sendable where Element: Sendable {}
