/// A test cannot continue: the bench has ended, or cannot do what the test asks.
public struct TurretError: Error, CustomStringConvertible, Sendable {
  /// What was expected, as a sentence.
  public let description: String

  init(_ description: String) { self.description = description }
}
