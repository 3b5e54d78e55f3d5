/// The values of a wire or a note that are not written yet, each valid from a sample on.
struct ChangeQueue<Value: Equatable> {
  private var changes: [(tick: Int64, value: Value)] = []
  private var head = 0
  /// The value before the first change in the queue.
  private(set) var current: Value

  init(_ current: Value) { self.current = current }

  /// The sample of the first change; `Int64.max` if there is none.
  var next: Int64 { head < changes.count ? changes[head].tick : .max }

  /// The value after all changes.
  var last: Value { head < changes.count ? changes[changes.count - 1].value : current }

  /// Returns the value that begins at exactly this sample, if it is the last.
  func beginning(at tick: Int64) -> Value? {
    guard head < changes.count, let last = changes.last, last.tick == tick else { return nil }
    return last.value
  }

  /// Returns the value at the sample before this one.
  func value(before tick: Int64) -> Value {
    var index = changes.count
    while index > head {
      index -= 1
      if changes[index].tick < tick { return changes[index].value }
    }
    return current
  }

  /// Sets the value from a sample on, replacing the changes at or after it.
  mutating func set(_ value: Value, at tick: Int64) {
    while changes.count > head, changes[changes.count - 1].tick >= tick { changes.removeLast() }
    if last != value { changes.append((tick, value)) }
  }

  /// Removes the first change and returns its value. There must be one.
  mutating func removeFirst() -> Value {
    current = changes[head].value
    head += 1
    if head == changes.count {
      changes.removeAll(keepingCapacity: true)
      head = 0
    } else if head >= 4_096 {
      changes.removeFirst(head)
      head = 0
    }
    return current
  }
}
