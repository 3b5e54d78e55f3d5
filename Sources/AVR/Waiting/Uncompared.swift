/// A value that affects only its owner's speed, such as a cache. All values compare equal, so it
/// does not take part in comparing its owners.
struct Uncompared<Value: Sendable>: Hashable, Sendable {
  var value: Value

  init(_ value: Value) { self.value = value }

  static func == (left: Self, right: Self) -> Bool { true }
  func hash(into hasher: inout Hasher) {}
}
