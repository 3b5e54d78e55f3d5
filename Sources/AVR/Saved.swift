// Saved types can be encoded and decoded, except in Embedded Swift, which has no `Codable` and
// saves nothing. Only this file distinguishes the two.
#if hasFeature(Embedded)
  package protocol Saved {}
  protocol SavedKey {}
#else
  /// Part of a snapshot. The names and order of its stored properties are the format of a saved
  /// state.
  package typealias Saved = Codable
  typealias SavedKey = CodingKey
#endif
