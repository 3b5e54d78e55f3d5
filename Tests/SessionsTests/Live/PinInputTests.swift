import Sketches
import Testing

@testable import Sessions

@Suite struct PinInputTests {
  private static func take(_ texts: String...) -> [PinInputLines.Arrival] {
    var lines = PinInputLines(path: "pins")
    return texts.flatMap { lines.take(Array($0.utf8)) }
  }

  private static let two = BoardPin(arduino: 2)!

  @Test(arguments: [
    (#"["set", "D2", 1]"#, BoardInput.level(two, true)),
    (#"[1.5, "set", "D2", 0]"#, .level(two, false)),
    (#" [ "analog" , "D2" , 2.5 ] "#, .voltage(two, microvolts: 2_500_000)),
    (#"["part", "hc-sr04@7:8", 0.35]"#, .part(BoardPart("hc-sr04@D7:D8")!, millionths: 350_000)),
  ])
  func `A line is an input, with or without a time`(_ line: String, _ input: BoardInput) {
    #expect(Self.take(line + "\n") == [.input(input)])
    #expect(Self.take(line, "\r\n", "\n") == [.input(input)])
  }

  @Test(arguments: [
    ("X90.", "column 1: expected an event, which starts with '[', found 'X'"),
    (#"["set", "D2", 7]"#, "column 15: expected a level, 0 or 1, found 7"),
    (
      #"[1, "rx", "X"]"#,
      #"expected an input, for example ["set", "D2", 1], ["analog", "A0", 2.5] or "#
        + #"["part", "hc-sr04@D7:D8", 0.35]"#
    ),
    (
      #"["part", "sonar", 1]"#,
      "column 10: expected a part, such as \"hc-sr04@D7:D8\" or \"pca9685@0x40\", "
        + "found \"sonar\""
    ),
    (
      #"["part", "hc-sr04@D7:D8", -1]"#,
      "column 27: expected the part's value, a number from 0, found '-'"
    ),
    (
      #"["set", "D2", 1"#,
      "column 16: expected ']' at the end of the event, found the end of the line"
    ),
  ])
  func `Any other line is left out and reported`(_ line: String, _ message: String) {
    #expect(
      Self.take("[\"set\", \"D2\", 1]\n", line + "\n")
        == [
          .input(.level(Self.two, true)),
          .mistake("pins: input 2 is ignored: \(message)"),
        ])
  }

  @Test func `A line that is too long is left out and reported`() {
    let line = String(repeating: "[", count: 70_000)
    #expect(
      Self.take(line + "\n[\"set\", \"D2\", 1]\n")
        == [
          .mistake("pins: input 1 is ignored: expected a line of at most 65536 bytes"),
          .input(.level(Self.two, true)),
        ])
  }

  @Test func `Each digit changes the level of one pin of --set`() {
    let seven = BoardPin(arduino: 7)!
    let inputs: [BoardInput] = [
      .level(Self.two, true), .voltage(BoardPin(arduino: 14)!, microvolts: 1), .level(seven, false),
    ]
    var keys = PinKeys(inputs)
    #expect(keys.press(UInt8(ascii: "1")) == .level(Self.two, false))
    #expect(keys.press(UInt8(ascii: "1")) == .level(Self.two, true))
    #expect(keys.press(UInt8(ascii: "2")) == .level(seven, true))
    #expect(keys.press(UInt8(ascii: "3")) == nil)
    #expect(keys.press(UInt8(ascii: "0")) == nil)
    #expect(keys.press(UInt8(ascii: "b")) == nil)
    #expect(PinKeys.help(inputs) == "1: D2, 2: D7")
    #expect(PinKeys.help([]) == nil)
  }
}
