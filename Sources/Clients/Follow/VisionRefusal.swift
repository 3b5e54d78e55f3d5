/// An answer of the robot vision phone that cannot be used: the reason, in plain ASCII even if it
/// quotes the phone's text.
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
