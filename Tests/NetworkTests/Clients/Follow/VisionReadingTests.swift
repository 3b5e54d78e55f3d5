import Sketches
import Testing

@testable import Network

struct VisionReadingTests {
  struct Case: Sendable, CustomTestStringConvertible {
    var answer: String
    var timestamp: String
    var angle: Double?
    var distance: Double?
    var testDescription: String { answer }

    init(_ answer: String, _ timestamp: String, _ angle: Double?, _ distance: Double? = nil) {
      self.answer = answer
      self.timestamp = timestamp
      self.angle = angle
      self.distance = distance
    }
  }

  static let targets = [
    Case("12:26:45.123|angle^15.2|distance^4.3", "12:26:45.123", 15.2, 4.3),
    Case("12:26:45.123|angle^-15.2|distance^4.3\r\n", "12:26:45.123", -15.2, 4.3),
    Case(" 12:26:45 | angle ^ 15 | distance ^ 4 ", "12:26:45", 15, 4),
    Case("12:26:45|distance^4.3|angle^+15.2|", "12:26:45", 15.2, 4.3),
    Case("timestamp^12:26:45|angle^1.5e1", "12:26:45", 15),
    Case("1763728005|angle^0|colour^green", "1763728005", 0),
    Case("12:26:45|angle^.5|distance^far", "12:26:45", 0.5),
    Case("angle^15.2", "", 15.2),
    Case(#"{"timestamp": "12:26:45", "angle": 15.2, "distance": 4.3}"#, "12:26:45", 15.2, 4.3),
    Case(#"{"angle":-0.5,"timestamp":1763728005}"#, "1763728005", -0.5),
    Case(#"{"angle": "15.2", "timestamp": "t", "distance": [1]}"#, "t", 15.2),
    Case(
      #"{"angle": 1, "timestamp": "\u0031\u00e9\ud83d\ude00 \"}{"}"#, "1\u{E9}\u{1F600} \"}{", 1),
    Case(#"{"angle": 1, "more": {"angle": [2, {"a": null}]}, "NaN": "NaN"}"#, "", 1),
    Case(#"{"angle": 1, "distance": NaN}"#, "", 1),
    Case("\n { \"angle\" :\n1e1 }\n", "", 10),
  ]

  static let nobody = [
    Case("12:26:45.123", "12:26:45.123", nil),
    Case("Sat Nov 21 12:26:45 UTC 2026|", "Sat Nov 21 12:26:45 UTC 2026", nil),
    Case("12:26:45|angle^|distance^", "12:26:45", nil),
    Case("12:26:45|angle^null|distance^null", "12:26:45", nil),
    Case("12:26:45|angle^NaN|distance^NaN", "12:26:45", nil),
    Case("12:26:45|angle^-nan|distance^inf", "12:26:45", nil),
    Case("12:26:45|angle^Infinity", "12:26:45", nil),
    Case("12:26:45|angle^1e999", "12:26:45", nil),
    Case("12:26:45|distance^4.3", "12:26:45", nil, 4.3),
    Case("{}", "", nil),
    Case(#"{"timestamp": "12:26:45"}"#, "12:26:45", nil),
    Case(#"{"timestamp": null, "angle": null, "distance": null}"#, "", nil),
    Case(#"{"timestamp": "t", "angle": NaN, "distance": -Infinity}"#, "t", nil),
    Case(#"{"timestamp": "t", "angle":nan}"#, "t", nil),
    Case(#"{"timestamp": "t", "angle": ""}"#, "t", nil),
    Case(#"{"timestamp": "t", "angle": "NaN"}"#, "t", nil),
    Case(#"{"timestamp": "t", "angle": 1e999}"#, "t", nil),
  ]

  static let refused = [
    "", " \r\n", "garbage", "ERROR", "a|b", "GET / HTTP/1.1", "12:26:45|angle^abc",
    "12:26:45|angle^-nan(", "12:26:45|angle^15,2", "12:26:45|angle^0x10", "12:26:45|angle^--1",
    "12:26:45|angle^1 2", "12:26:45|angle^1|angle^2", "angle:15.2", "camera 1: closed",
    "{", #"{"angle": 1"#, #"{"angle": 1} {"angle": 2}"#, #"{"angle": 1, "angle": 2}"#,
    #"{"angle": true}"#, #"{"angle": {"value": 1}}"#, #"{"angle": [1]}"#, #"{"angle": 01}"#,
    #"{"angle": "north"}"#, #"{angle: 1}"#, #"{"angle": nana}"#, #"{"timestamp": [], "angle": 1}"#,
    #"{"angle": 1, "t": "\ud83d"}"#, "[{\"angle\": 1}]",
  ]

  @Test(arguments: targets)
  func `A target is read in either form`(_ given: Case) throws {
    let reading = try VisionReading(Array(given.answer.utf8))
    #expect(reading.timestamp == given.timestamp)
    #expect(reading.angle == given.angle)
    #expect(reading.distance == given.distance)
  }

  @Test(arguments: nobody)
  func `A missing or invalid angle means no target`(_ given: Case) throws {
    let reading = try VisionReading(Array(given.answer.utf8))
    #expect(reading.timestamp == given.timestamp)
    #expect(reading.angle == nil)
    #expect(reading.distance == given.distance)
    #expect(reading.degrees == nil)
  }

  @Test(arguments: refused)
  func `Anything else is refused, and is not taken for a missing target`(answer: String) {
    #expect(throws: VisionRefusal.self) { try VisionReading(Array(answer.utf8)) }
  }

  @Test func `What is not UTF-8 is refused`() {
    #expect(throws: VisionRefusal.self) {
      try VisionReading(Array("12:26:45|angle^1|name^".utf8) + [0xFF])
    }
  }

  @Test func `Excessive nesting is refused`() {
    let deep = String(repeating: "{\"a\":", count: 800) + "1" + String(repeating: "}", count: 800)
    #expect(throws: VisionRefusal.self) { try VisionReading(Array(deep.utf8)) }
  }

  @Test func `A refusal shows the phone's text shortened and in plain ASCII`() throws {
    let word = "\u{1B}[31m\n" + String(repeating: "x", count: 1_000)
    let error = try #require(throws: VisionRefusal.self) {
      try VisionReading(Array("12:26:45|angle^\(word)".utf8))
    }
    #expect(error.description.utf8.count <= 120)
    #expect(error.description.utf8.allSatisfy { (0x20...0x7E).contains($0) })
  }

  @Test(arguments: [
    (0.0, 90), (15.2, 105), (15.49, 105), (15.5, 106), (-0.5, 90), (-0.51, 89), (-90, 0), (90, 180),
    (90.4, 180), (-90.6, 0), (-999, 0), (1e308, 180), (-1e308, 0), (1e-300, 90),
  ])
  func `The centre is 90 degrees, and the limits are the servo's ends`(
    angle: Double, degrees: UInt8
  ) {
    #expect(VisionReading(timestamp: "", angle: angle).degrees == degrees)
  }
}
