/// A secret that lets its bearer command the turret. Nothing prints it.
///
/// Not `Equatable`: a synthesized `==` stops at the first difference, and how long it took would tell
/// how much of a guess was right. `matches` is the only comparison.
package struct Token: Sendable {
  /// What can be wrong with a text that is to be one; told without the text.
  package enum Flaw: Error, Hashable, Sendable {
    case tooShort
    case tooLong
    /// Only the printable characters of ASCII, without the space, fit into a header.
    case notPrintable
  }

  /// A token that people make up can be guessed by trying; 16 random characters cannot.
  package static let lengthMin = 16
  package static let lengthMax = 256

  /// Filled up to `lengthMax`, so that its length shows nowhere.
  private let padded: [UInt8]
  private let length: Int

  package init(_ bytes: some Collection<UInt8>) throws(Flaw) {
    guard bytes.allSatisfy({ (0x21...0x7E).contains($0) }) else { throw .notPrintable }
    guard bytes.count >= Self.lengthMin else { throw .tooShort }
    guard bytes.count <= Self.lengthMax else { throw .tooLong }
    padded = Self.pad(bytes)
    length = bytes.count
  }

  /// Whether these bytes are the token. It takes the same time wherever they differ and however long
  /// the token is: every byte is looked at, the differences are gathered and judged once. What is
  /// asked may be longer or shorter; only its own length, which the asker knows, can show.
  package func matches(_ candidate: some Collection<UInt8>) -> Bool {
    let asked = Self.pad(candidate.prefix(Self.lengthMax))
    var difference = UInt(bitPattern: length ^ candidate.count)
    for index in 0..<Self.lengthMax { difference |= UInt(padded[index] ^ asked[index]) }
    return difference == 0
  }

  /// The value of an Authorization field that presents it (RFC 6750, 2.1).
  var bearer: String { "Bearer " + String(decoding: padded[..<length], as: UTF8.self) }

  private static func pad(_ bytes: some Collection<UInt8>) -> [UInt8] {
    bytes + [UInt8](repeating: 0, count: lengthMax - bytes.count)
  }
}

extension Token: CustomStringConvertible, CustomDebugStringConvertible, CustomReflectable {
  package var description: String { "a token" }
  package var debugDescription: String { description }
  package var customMirror: Mirror { Mirror(self, children: [:]) }
}
