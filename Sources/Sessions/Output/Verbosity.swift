/// How much a command prints on standard error.
package enum Verbosity: Hashable, Sendable {
  /// Errors and results only.
  case quiet
  case normal
  /// Also details that are rarely needed.
  case verbose
}
