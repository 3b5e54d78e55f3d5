/// The options do not fit each other, or what they are applied to. The command's usage is shown.
package struct UsageError: Error {
  /// A sentence.
  package let message: String

  package init(_ message: String) { self.message = message }
}
