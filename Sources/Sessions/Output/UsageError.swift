/// A mistake in the combination of options, or in what they are applied to. It is reported with the
/// command's usage.
package struct UsageError: Error {
  /// A sentence.
  package let message: String

  package init(_ message: String) { self.message = message }
}
