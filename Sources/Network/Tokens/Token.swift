import Sketches

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
