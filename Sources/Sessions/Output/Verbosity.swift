/// How much a command prints for people on standard error.
package enum Verbosity: Hashable, Sendable {
  /// Errors and results only.
  case quiet
  case normal
  /// Also what most people do not need to know.
  case verbose
}
