/// An answer of the robot vision phone that tells nothing: what is wrong with it, in plain ASCII however
/// much of the phone's own words is in it.
package struct VisionRefusal: Error, Hashable, Sendable, CustomStringConvertible {
  private static let bytesMax = 120

  package let description: String

  init(_ description: String) {
    let plain = description.utf8.prefix(Self.bytesMax).map { byte in
      (0x20...0x7E).contains(byte) ? byte : UInt8(ascii: "?")
    }
    self.description = String(decoding: plain, as: UTF8.self)
  }
}
