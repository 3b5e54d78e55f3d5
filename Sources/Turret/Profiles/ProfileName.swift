/// The names in a profile: of numbers, servos and pins.
package enum ProfileName {
  package static let lengthMax = 32
  package static let rule = "1 to \(lengthMax) letters, digits, \"-\" and \"_\""

  package static func isValid(_ name: String) -> Bool {
    !name.isEmpty && name.utf8.count <= lengthMax
      && name.utf8.allSatisfy { byte in
        switch byte {
        case UInt8(ascii: "a")...UInt8(ascii: "z"), UInt8(ascii: "A")...UInt8(ascii: "Z"),
          UInt8(ascii: "0")...UInt8(ascii: "9"), UInt8(ascii: "-"), UInt8(ascii: "_"):
          true
        default: false
        }
      }
  }
}
