import Foundation
import Network
import Testing

struct TokenFileTests {
  private static let one = "0123456789abcdef"
  private static let two = "fedcba9876543210"

  /// Creates a token file with this text and these permissions, for as long as `body` runs.
  private func withFile<R>(
    _ text: String, permissions: Int = 0o600, _ body: (String) throws -> R
  ) throws -> R {
    let url = FileManager.default.temporaryDirectory
      .appendingPathComponent("tokens-\(UUID().uuidString)")
    try Data(text.utf8).write(to: url)
    defer { try? FileManager.default.removeItem(at: url) }
    try FileManager.default.setAttributes(
      [.posixPermissions: permissions], ofItemAtPath: url.path)
    return try body(url.path)
  }

  private func failure(_ path: String) -> NetworkError? {
    do {
      _ = try TokenFile.read(path: path)
      return nil
    } catch {
      return error
    }
  }

  @Test(arguments: [
    (Self.one, [Self.one]),
    ("\(Self.one)\n\(Self.two)\n", [Self.one, Self.two]),
    (
      "# the phone\r\n\(Self.one)\r\n\r\n  # the tablet\r\n\t\(Self.two) \r\n",
      [Self.one, Self.two]
    ),
    ("\n\n\(Self.one)\n\n", [Self.one]),
    ("\(Self.one)#more", ["\(Self.one)#more"]),
  ])
  func `Each line holds one token; comments, empty lines and outer blanks are ignored`(
    text: String, expected: [String]
  ) throws {
    let file = try withFile(text) { try TokenFile.read(path: $0) }
    #expect(file.warnings.isEmpty)
    #expect(file.tokens.count == expected.count)
    for (token, text) in zip(file.tokens, expected) { #expect(token.matches(Array(text.utf8))) }
  }

  @Test(arguments: [
    ("", "contains no token"),
    ("# none yet\n\n", "contains no token"),
    ("\(Self.one)\nsecret\n", ":2: error: this token has fewer than 16 characters"),
    ("\n\n\(Self.one) # the phone\n", ":3: error: a token is printable ASCII without spaces"),
    ("pässwordpässword\n", ":1: error: a token is printable ASCII"),
    ("\u{FEFF}\(Self.one)\n", ":1: error: a token is printable ASCII"),
    (String(repeating: "s", count: 257), ":1: error: this token has more than 256 characters"),
    ("\(Self.one)\u{0}\n", ":1: error: a token is printable ASCII"),
    (String(repeating: "#", count: 1 << 20) + "\n", "at most 1 MiB"),
  ])
  func `An invalid file is refused with the line number but without the line's text`(
    text: String, message: String
  ) throws {
    try withFile(text) { path in
      let error = try #require(failure(path))
      #expect(error.code == .malformed)
      #expect(error.description.hasPrefix(path))
      #expect(error.description.contains(message))
      for secret in ["secret", "pässword", Self.one, "ssss"] {
        #expect(!error.description.contains(secret))
      }
    }
  }

  @Test(arguments: [
    ("/nowhere/at/all", NetworkError.Code.noInput),
    ("/etc/passwd/tokens", .noInput),
    ("/", .inputOutput),
  ])
  func `A file that cannot be read is reported`(path: String, code: NetworkError.Code) throws {
    let error = try #require(failure(path))
    #expect(error.code == code)
    #expect(error.description.hasPrefix("\(path): error: cannot read the tokens: "))
  }

  @Test(arguments: [
    (0o600, []), (0o400, []), (0o640, []), (0o660, []),
    (0o604, ["can read"]), (0o644, ["can read"]), (0o602, ["can put"]),
    (0o666, ["can read", "can put"]),
  ])
  func `A file that others can access gives a warning`(permissions: Int, expected: [String]) throws
  {
    try withFile(Self.one, permissions: permissions) { path in
      let file = try TokenFile.read(path: path)
      #expect(file.tokens.count == 1)
      #expect(file.warnings.count == expected.count)
      for (warning, part) in zip(file.warnings, expected) {
        #expect(warning.contains(part) && warning.contains("chmod 600 \(path)"))
      }
    }
  }
}
