import TestSupport
import Testing

@testable import Network

struct UTF8ValidatorTests {
  private static func accepts(_ bytes: [UInt8], in size: Int) -> Bool {
    var validator = UTF8Validator()
    for start in stride(from: 0, to: bytes.count, by: size) {
      let piece = bytes[start..<min(start + size, bytes.count)]
      let isGood = piece.withUnsafeBytes { validator.accepts($0) }
      guard isGood else { return false }
    }
    return validator.isComplete
  }

  @Test(arguments: [UInt64](1...20))
  func `The validator agrees with the standard library on random bytes similar to text`(
    _ seed: UInt64
  ) {
    var random = SeededGenerator(seed: seed)
    let telling: [UInt8] = [
      0x00, 0x41, 0x7F, 0x80, 0x8F, 0x90, 0x9F, 0xA0, 0xBF, 0xC0, 0xC1, 0xC2, 0xDF, 0xE0, 0xE1,
      0xED,
      0xEE, 0xEF, 0xF0, 0xF1, 0xF3, 0xF4, 0xF5, 0xFF,
    ]
    for _ in 0..<500 {
      let padding = [UInt8](repeating: 0x41, count: .random(in: 0...17, using: &random))
      let core = (0..<Int.random(in: 0...5, using: &random)).map { _ in
        telling.randomElement(using: &random)!
      }
      let bytes = padding + core
      let isValid = String(validating: bytes, as: UTF8.self) != nil
      for size in [1, 2, 3, 8, 64] { #expect(Self.accepts(bytes, in: size) == isValid, "\(bytes)") }
    }
  }

  @Test func `Every character is accepted`() {
    for value in stride(from: UInt32(0), through: 0x10FFFF, by: 61) {
      guard let scalar = Unicode.Scalar(value) else { continue }
      #expect(Self.accepts(Array(String(scalar).utf8), in: 2))
    }
  }
}
