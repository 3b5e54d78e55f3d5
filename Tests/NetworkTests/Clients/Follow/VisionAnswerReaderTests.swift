import Sketches
import TestSupport
import Testing

@testable import Network

struct VisionAnswerReaderTests {
  static let answers = [
    "12:00:00|angle^1|distance^4.3\n", "12:00:00|angle^1\r\n", "x\n", "{}", "{}\n",
    #"{"a": {"b": {}}, "c": "}"}"#, #"{"a": "\"}\\"}"#, #"{"a\\": "{{{"}"#, "\r\n {\n}\n",
  ]

  @Test(arguments: answers)
  func `An answer is the same in one segment and in many`(text: String) {
    let bytes = Array(text.utf8)
    var expected = bytes[...]
    while let byte = expected.first, byte <= 0x20 { expected.removeFirst() }
    while let byte = expected.last, byte <= 0x20 { expected.removeLast() }
    for cut in 0...bytes.count {
      var reader = VisionAnswerReader()
      reader.expect()
      var outcomes = [reader.receive(bytes[..<cut], at: .zero)]
      outcomes.append(reader.receive(bytes[cut...], at: .zero + .milliseconds(1)))
      #expect(outcomes.compactMap(\.self) == [.answer(Array(expected))])
      #expect(reader.nextDeadline == nil)
      #expect(reader.unaskedBytes == 0)
    }
  }

  @Test(arguments: [
    ("12:00:00", 100), ("12:00:00|", 100), ("12:00:00|angle^1", 100), ("12:00:00|angle^1|", 20),
    ("12:00:00|angle^1|distance^4", 20), ("12:00:00|distance^4|angle^1", 100), ("angle^1|", 20),
  ])
  func `Silence ends text, sooner if no digit of the angle can be missing`(
    text: String, milliseconds: Int64
  ) {
    var reader = VisionAnswerReader()
    reader.expect()
    let last = Instant.zero + .milliseconds(7)
    #expect(reader.receive(text.utf8, at: last) == nil)
    #expect(reader.nextDeadline == last + .milliseconds(milliseconds))
    #expect(reader.advance(to: last + .milliseconds(milliseconds) - .nanoseconds(1)) == nil)
    #expect(reader.advance(to: last + .milliseconds(milliseconds)) == .answer(Array(text.utf8)))
  }

  @Test func `Silence ends neither an object nor the text of a phone that ends its lines`() {
    var reader = VisionAnswerReader()
    reader.expect()
    #expect(reader.receive("{\"a\": 1".utf8, at: .zero) == nil)
    #expect(reader.nextDeadline == nil)
    #expect(reader.close() == nil)
    reader.expect()
    #expect(reader.receive("a\n".utf8, at: .zero) == .answer(Array("a".utf8)))
    reader.reset()
    reader.expect()
    #expect(reader.receive("1:1|angle^1|".utf8, at: .zero) == nil)
    #expect(reader.nextDeadline == nil)
    #expect(reader.close() == nil)
    // Another phone may be different.
    reader.forget()
    reader.expect()
    #expect(reader.receive("1:1|angle^1|".utf8, at: .zero) == nil)
    #expect(reader.close() == .answer(Array("1:1|angle^1|".utf8)))
  }

  @Test func `The first of two answers to one question is used, and the other is counted`() {
    var reader = VisionAnswerReader()
    reader.expect()
    #expect(
      reader.receive("{\"a\":1}{\"a\":2}\n".utf8, at: .zero) == .answer(Array("{\"a\":1}".utf8)))
    #expect(reader.unaskedBytes == 7)
    reader.expect()
    #expect(reader.unaskedBytes == 0)
    #expect(reader.hasNothing)
  }

  @Test func `An answer of exactly the limit is accepted, and one byte more is too long`() {
    let text = String(repeating: "x", count: VisionAnswerReader.bytesMax)
    var reader = VisionAnswerReader()
    reader.expect()
    #expect(reader.receive("\(text)\n".utf8, at: .zero) == .answer(Array(text.utf8)))
    reader.expect()
    #expect(reader.receive("\(text)x".utf8, at: .zero) == .tooLong)
    #expect(reader.heldBytes == 0)
    let object = "{\"" + text.dropLast(4) + "\"}"
    reader.expect()
    #expect(reader.receive(object.utf8, at: .zero) == .answer(Array(object.utf8)))
    reader.expect()
    #expect(reader.receive(" \n\(text.dropLast(3)){\"a\":{}".utf8, at: .zero) == .tooLong)
  }

  /// Pieces that matter to the reader and the parser, so that random input covers their boundaries.
  private static let pieces = [
    "12:00:00", "|", "angle", "^", "15.2", "distance^4.3", "\n", "\r\n", "{", "}", "\"", "\\",
    "\\u00",
    ":", "NaN", "-", "1e308", "null", "timestamp", " ", "\u{E9}", "[", "]", ",", "VISION",
  ].map { Array($0.utf8) }

  @Test(arguments: Seeds.first(8))
  func `The reader holds its limit at most, and gives a reading or a refusal at each end`(
    seed: UInt64
  ) {
    var random = SeededGenerator(seed: seed)
    var reader = VisionAnswerReader()
    var now = Instant.zero
    for _ in 0..<3_000 {
      var outcome: VisionAnswerReader.Outcome?
      switch Int.random(in: 0..<20, using: &random) {
      case 0: reader.expect()
      case 1:
        now += .milliseconds(Int64.random(in: 0...150, using: &random))
        outcome = reader.advance(to: now)
      case 2: outcome = reader.close()
      case 3 where Int.random(in: 0..<10, using: &random) == 0: reader.forget()
      case 4:
        let length = Int.random(in: 0...6_000, using: &random)
        let byte = UInt8.random(in: .min ... .max, using: &random)
        outcome = reader.receive(repeatElement(byte, count: length), at: now)
      case 5...8:
        let noise = (0..<8).map { _ in UInt8.random(in: .min ... .max, using: &random) }
        outcome = reader.receive(noise, at: now)
      default:
        outcome = reader.receive(Self.pieces.randomElement(using: &random)!, at: now)
      }
      #expect(reader.heldBytes <= VisionAnswerReader.bytesMax, "seed \(seed)")
      if case .answer(let answer) = outcome {
        #expect(answer.count <= VisionAnswerReader.bytesMax, "seed \(seed)")
        if let reading = try? VisionReading(answer) {
          #expect(reading.angle?.isFinite != false, "seed \(seed)")
          #expect(reading.degrees.map { $0 <= 180 } != false, "seed \(seed)")
        }
      }
    }
    // Whatever came before, the next answer is read.
    reader.expect()
    #expect(
      reader.receive("{\"angle\": 1}".utf8, at: now) == .answer(Array("{\"angle\": 1}".utf8)),
      "seed \(seed)")
  }
}
