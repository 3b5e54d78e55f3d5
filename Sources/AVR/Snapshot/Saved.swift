// What is saved can be encoded and decoded, except in Embedded Swift, which has no `Codable` and
// saves nothing. This is the only place that knows.
#if hasFeature(Embedded)
  package protocol Saved {}
  protocol SavedKey {}
#else
  /// Part of a snapshot: its stored properties, by name and in order, are the format of a saved
  /// state.
  package typealias Saved = Codable
  typealias SavedKey = CodingKey
#endif
