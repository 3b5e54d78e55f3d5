/// The name that a client gives itself as `?name=NAME`, for people who watch the session. It proves
/// nothing.
enum ClientName {
  /// In characters.
  private static let lengthMax = 32

  /// nil if there is none, if it is too long, or if it contains characters other than ASCII
  /// letters, digits, spaces and `-_.`.
  static func of(_ uri: String) -> String? {
    guard case .value(let name)? = RequestTarget(uri)?.item("name"),
      (1...lengthMax).contains(name.utf8.count),
      name.utf8.allSatisfy({ byte in
        let scalar = Unicode.Scalar(byte)
        return scalar.isASCII && (scalar.properties.isAlphabetic || (48...57).contains(byte))
          || " -_.".utf8.contains(byte)
      })
    else { return nil }
    return name
  }
}
