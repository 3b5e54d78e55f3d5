import Platform
import Sketches
import SystemPackage

/// A secret that allows its bearer to command the turret. It is never printed.
///
/// Not `Equatable`, because a synthesized `==` stops at the first difference, and its duration
/// would reveal how much of a guess was right. `matches` is the only comparison.
package struct Token: Sendable {
  /// The ways in which a text can be invalid as a token. A message about it does not contain the
  /// text.
  package enum Flaw: Error, Hashable, Sendable {
    case tooShort
    case tooLong
    /// Only printable ASCII characters except the space can be sent in a header.
    case notPrintable
  }

  /// A short token that people make up can be guessed; 16 random characters cannot.
  package static let lengthMin = 16
  package static let lengthMax = 256

  /// Padded to `lengthMax`, so that its length is not revealed.
  private let padded: [UInt8]
  private let length: Int

  package init(_ bytes: some Collection<UInt8>) throws(Flaw) {
    guard bytes.allSatisfy({ (0x21...0x7E).contains($0) }) else { throw .notPrintable }
    guard bytes.count >= Self.lengthMin else { throw .tooShort }
    guard bytes.count <= Self.lengthMax else { throw .tooLong }
    padded = Self.pad(bytes)
    length = bytes.count
  }

  /// Whether these bytes are the token. The duration does not depend on where they differ or on the
  /// token's length: every byte is compared, and the differences are collected and judged once. The
  /// candidate can be longer or shorter. The duration reveals only the candidate's own length,
  /// which the sender knows.
  package func matches(_ candidate: some Collection<UInt8>) -> Bool {
    let asked = Self.pad(candidate.prefix(Self.lengthMax))
    var difference = UInt(bitPattern: length ^ candidate.count)
    for index in 0..<Self.lengthMax { difference |= UInt(padded[index] ^ asked[index]) }
    return difference == 0
  }

  /// The value of an `Authorization` field that presents the token (RFC 6750, 2.1).
  package var bearer: String { "Bearer " + String(decoding: padded[..<length], as: UTF8.self) }

  /// The token in an address, with percent-encoding (RFC 3986, 2.1).
  package var encoded: String {
    padded[..<length].map { byte in
      let character = Character(Unicode.Scalar(byte))
      if character.isLetter || character.isNumber || "-._~".contains(character) {
        return String(character)
      }
      return "%" + String(byte, radix: 16, digits: 2, uppercase: true)
    }.joined()
  }

  private static func pad(_ bytes: some Collection<UInt8>) -> [UInt8] {
    bytes + [UInt8](repeating: 0, count: lengthMax - bytes.count)
  }
}

extension Token: CustomStringConvertible, CustomDebugStringConvertible, CustomReflectable {
  package var description: String { "a token" }
  package var debugDescription: String { description }
  package var customMirror: Mirror { Mirror(self, children: [:]) }
}

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
      _ = OpenedFiles.insert(FileIdentity(descriptor))
      let status = try descriptor.stat()
      guard status.type != .directory else { throw Errno.isDirectory }
      warnings = Self.warnings(path, permissions: status.type == .regular ? status.permissions : [])
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
      let text = line.trimmed { $0.isBlank || $0 == 0x0D }
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
}

/// Hides tokens in log messages about a request.
package enum TokenMask {
  /// The text up to and including its first `token=`, followed by `...`; the whole text if it has
  /// none. The name is recognized in upper and lower case, and with any part of it percent-encoded
  /// any number of times.
  package static func masked(_ text: String) -> String {
    let name = Array("token=".utf8)
    /// The text decoded as far as possible, with the end of each decoded byte in the original text.
    var bytes: [(byte: UInt8, end: String.Index)] = []
    for index in text.utf8.indices {
      bytes.append((text.utf8[index], text.utf8.index(after: index)))
      while let decoded = decoded(bytes.suffix(3).map(\.byte)) {
        let end = bytes[bytes.count - 1].end
        bytes.removeLast(3)
        bytes.append((decoded, end))
      }
      let isName = bytes.suffix(name.count).map { lowercased($0.byte) } == name
      if isName, bytes[bytes.count - 1].end < text.endIndex {
        return text[..<bytes[bytes.count - 1].end] + "..."
      }
    }
    return text
  }

  /// The byte that a `%41` encodes; nil for anything else.
  private static func decoded(_ bytes: [UInt8]) -> UInt8? {
    guard bytes.count == 3, bytes[0] == UInt8(ascii: "%"), let high = bytes[1].hexDigit,
      let low = bytes[2].hexDigit
    else { return nil }
    return high << 4 | low
  }

  private static func lowercased(_ byte: UInt8) -> UInt8 {
    (UInt8(ascii: "A")...UInt8(ascii: "Z")).contains(byte) ? byte | 0x20 : byte
  }
}
