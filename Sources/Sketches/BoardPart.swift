/// A part that is wired to the board, by its kind and its place: `hc-sr04@D7:D8`, `pca9685@0x40`.
package struct BoardPart: Hashable, Sendable {
  package enum Place: Hashable, Sendable {
    /// On the two-wire bus, seven bits.
    case address(UInt8)
    /// At pins of the board, in the part's own order.
    case pins([BoardPin])
  }

  /// For messages.
  package static let examples = "\"hc-sr04@D7:D8\" or \"pca9685@0x40\""
  private static let pinsMax = 8
  private static let kindMax = 20

  /// Small letters, digits and hyphens.
  package let kind: String
  package let place: Place

  /// Parses a name; nil if it is none. Whether there is such a kind is not checked.
  package init?(_ text: String) {
    let halves = text.split(separator: "@", omittingEmptySubsequences: false)
    guard halves.count == 2, (1...Self.kindMax).contains(halves[0].utf8.count),
      halves[0].utf8.allSatisfy({
        (0x61...0x7A).contains($0) || (0x30...0x39).contains($0) || $0 == 0x2D
      })
    else { return nil }
    kind = String(halves[0])
    if halves[1].hasPrefix("0x") {
      let digits = halves[1].dropFirst(2)
      guard (1...2).contains(digits.utf8.count), let address = UInt8(digits, radix: 16),
        address < 0x80, digits.utf8.first != 0x2B
      else { return nil }
      place = .address(address)
    } else {
      let names = halves[1].split(separator: ":", omittingEmptySubsequences: false)
      let pins = names.compactMap { BoardPin(name: String($0)) }.filter { $0.arduino != nil }
      guard pins.count == names.count, pins.count <= Self.pinsMax else { return nil }
      place = .pins(pins)
    }
  }

  package var name: String {
    switch place {
    case .address(let address): kind + "@0x" + String(address, radix: 16)
    case .pins(let pins): kind + "@" + pins.map { $0.name }.joined(separator: ":")
    }
  }
}
