import Platform
import SystemPackage

/// A file with one token per line. Empty lines and lines that begin with `#` are skipped.
package struct TokenFile: Sendable {
  package var tokens: [Token]
  /// The notices to print, for example that others can read the file.
  package var warnings: [String]

  private static let lengthMax = 1 << 20

  /// Reads the file. A file without a token is malformed, because a gateway that should be
  /// protected must not be open.
  package static func read(path: String) throws(NetworkError) -> TokenFile {
    let contents: [UInt8]
    let warnings: [String]
    do {
      let descriptor = try FileDescriptor.open(path, .readOnly, options: .closeOnExec)
      defer { try? descriptor.close() }
      let status = try descriptor.stat()
      guard status.type != .directory else { throw Errno.isDirectory }
      warnings = Self.warnings(
        path, permissions: status.type == .regular ? status.permissions : [])
      contents = try Self.contents(of: descriptor)
    } catch {
      let cause = Errno.of(error)
      throw NetworkError(
        cause == .noSuchFileOrDirectory || cause == .notDirectory ? .noInput : .inputOutput,
        "\(path): error: cannot read the tokens: \(cause)")
    }
    guard contents.count <= lengthMax else {
      throw NetworkError(
        .malformed, "\(path): error: expected tokens, one per line, at most \(lengthMax >> 20) MiB")
    }
    return TokenFile(tokens: try tokens(in: contents, path: path), warnings: warnings)
  }

  /// Parses the tokens in a file's bytes. `path` is for messages.
  static func tokens(in contents: [UInt8], path: String) throws(NetworkError) -> [Token] {
    var tokens: [Token] = []
    var number = 0
    for line in contents.split(separator: UInt8(ascii: "\n"), omittingEmptySubsequences: false) {
      number += 1
      let text = trimmed(line)
      if text.isEmpty || text.first == UInt8(ascii: "#") { continue }
      do {
        tokens.append(try Token(text))
      } catch {
        throw NetworkError(.malformed, "\(path):\(number): error: \(message(error))")
      }
    }
    guard !tokens.isEmpty else {
      throw NetworkError(
        .malformed,
        "\(path): error: contains no token: put one on a line of its own, such as what "
          + "`openssl rand -hex 16` prints")
    }
    return tokens
  }

  private static func message(_ flaw: Token.Flaw) -> String {
    switch flaw {
    case .tooShort:
      "this token has fewer than \(Token.lengthMin) characters, short enough to be guessed; "
        + "`openssl rand -hex 16` prints a good one"
    case .tooLong: "this token has more than \(Token.lengthMax) characters"
    case .notPrintable:
      "a token is printable ASCII without spaces, so that it fits into a header; a comment "
        + "requires a line of its own"
    }
  }

  private static func warnings(_ path: String, permissions: FilePermissions) -> [String] {
    var found: [String] = []
    if permissions.contains(.otherRead) {
      found.append(
        "everybody on this computer can read the tokens in \(path); "
          + "`chmod 600 \(path)` prevents it")
    }
    if permissions.contains(.otherWrite) {
      found.append(
        "everybody on this computer can put tokens into \(path); `chmod 600 \(path)` prevents it")
    }
    return found
  }

  private static func contents(of descriptor: FileDescriptor) throws -> [UInt8] {
    var bytes: [UInt8] = []
    var chunk = [UInt8](repeating: 0, count: 4_096)
    while bytes.count <= lengthMax {
      let count = try chunk.withUnsafeMutableBytes { try descriptor.read(into: $0) }
      if count == 0 { break }
      bytes += chunk[..<count]
    }
    return bytes
  }

  private static func trimmed(_ line: ArraySlice<UInt8>) -> ArraySlice<UInt8> {
    func isBlank(_ byte: UInt8) -> Bool { byte == 0x20 || byte == 0x09 || byte == 0x0D }
    let start = line.drop(while: isBlank)
    return start[..<(start.lastIndex { !isBlank($0) }.map { $0 + 1 } ?? start.startIndex)]
  }
}
