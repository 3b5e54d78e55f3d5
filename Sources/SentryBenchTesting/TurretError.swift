/// The reason why a test cannot continue: the bench has ended, or cannot do what the test requests.
public struct TurretError: Error, CustomStringConvertible, Sendable {
  /// What was expected, as a sentence.
  public let description: String

  init(_ description: String) { self.description = description }
}
