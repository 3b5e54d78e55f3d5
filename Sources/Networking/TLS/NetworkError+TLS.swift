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
