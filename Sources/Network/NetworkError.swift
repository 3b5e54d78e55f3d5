/// The reason for a failure of the network: a code, and a sentence that a person can act on.
package struct NetworkError: Error, Hashable, Sendable, CustomStringConvertible {
  package enum Code: Hashable, Sendable {
    /// The options are unsafe or contradictory.
    case usage
    /// A file is malformed.
    case malformed
    /// A file does not exist.
    case noInput
    /// The address is not available, or no server answers there.
    case unavailable
    /// Reading or writing failed.
    case inputOutput
  }

  package var code: Code
  package var description: String

  package init(_ code: Code, _ description: String) {
    self.code = code
    self.description = description
  }
}

extension NetworkError {
  /// The error of a program built without TLS when TLS is required.
  ///
  /// - Parameter what: the option or the address that requires TLS.
  package static func builtWithoutTLS(_ what: String) -> NetworkError {
    NetworkError(
      .usage,
      "error: \(what) requires TLS, and this sentrybench was built without TLS; that of the wheel "
        + "and of the tar.gz has it, and swift build without --disable-default-traits builds one")
  }
}
