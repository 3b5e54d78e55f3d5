import NetworkTestSupport
import Testing

@testable import Network

struct TokenTests {
  private static let secret = "correct-horse-battery"

  @Test(arguments: [
    (Self.secret, true),
    ("", false),
    ("correct-horse-batterz", false),
    ("Correct-horse-battery", false),
    ("correct-horse-batter", false),
    ("correct-horse-battery ", false),
    ("correct-horse-battery\u{0}", false),
    (Self.secret + Self.secret, false),
    (String(repeating: "c", count: 10_000), false),
    (Self.secret + String(repeating: "\u{0}", count: 256), false),
    (String(repeating: "\u{0}", count: 256), false),
  ])
  func `A token matches only the same bytes`(asked: String, matches: Bool) {
    #expect(Token.example(Self.secret).matches(Array(asked.utf8)) == matches)
  }

  @Test func `One different byte anywhere is noticed`() {
    let bytes = [UInt8](repeating: UInt8(ascii: "a"), count: Token.lengthMax)
    let token = Token.example(String(decoding: bytes, as: UTF8.self))
    #expect(token.matches(bytes))
    for index in bytes.indices {
      var other = bytes
      other[index] ^= 1
      #expect(!token.matches(other), "byte \(index)")
    }
    #expect(!token.matches(bytes + [UInt8(ascii: "a")]))
    #expect(!token.matches(bytes.dropLast()))
  }

  @Test(arguments: [
    ("", Token.Flaw.tooShort),
    ("123456789012345", .tooShort),
    ("1234567890123456", nil),
    (String(repeating: "x", count: 256), nil),
    (String(repeating: "x", count: 257), .tooLong),
    ("!~abcdefghijklmn", nil),
    ("abcdefgh ijklmnopq", .notPrintable),
    ("abcdefghijklmnopq\t", .notPrintable),
    ("abcdefghijklmnopqé", .notPrintable),
    ("abcdefghijklmnop\u{7F}", .notPrintable),
    ("\u{0}bcdefghijklmnopq", .notPrintable),
    ("é", .notPrintable),
  ])
  func `A token is 16 to 256 printable characters`(text: String, flaw: Token.Flaw?) {
    var found: Token.Flaw?
    do { _ = try Token(Array(text.utf8)) } catch { found = error }
    #expect(found == flaw)
  }

  @Test func `No form of printing shows a token`() throws {
    let token = Token.example(Self.secret)
    var policy = AccessPolicy()
    policy.tokens = [token]
    let request = AccessRequest(
      authorization: ["Bearer \(Self.secret)"], queryToken: Self.secret)
    let target = try #require(RequestTarget("/events?token=\(Self.secret)"))
    for value: Any in [token, [token], Optional(token) as Any, policy, request, target] {
      var dumped = ""
      dump(value, to: &dumped)
      for text in [String(describing: value), String(reflecting: value), "\(value)", dumped] {
        #expect(!text.contains(Self.secret))
        // Not as the numbers of its bytes either.
        #expect(!text.contains("99, 111, 114") && !text.contains("- 99"))
      }
    }
    #expect("\(token)" == "a token")
    #expect("\(target)" == "/events")
  }
}
