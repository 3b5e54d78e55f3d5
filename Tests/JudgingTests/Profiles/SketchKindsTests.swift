import Devices
import Sketches
import Testing
import Traces

@testable import Judging

/// What is learned from sketches of common kinds, and from what their senders send.
@Suite struct SketchKindsTests {
  private static func proposal(
    _ sketch: ToySketch, _ session: [String], every gap: Interval = .milliseconds(500),
    baud: Int = 115_200, isOver: @escaping @Sendable () -> Bool = { false }
  ) throws -> ProfileProposal {
    let gap = gap.nanoseconds
    let events = session.enumerated().map { (index: Int, text: String) -> Event in
      let time = Interval(nanoseconds: 2_000_000_000 + gap * Int64(index))
      return Event(.zero + time, .receive(text.unicodeScalars.map { UInt8($0.value) }))
    }
    let header = Header(firmware: .guarded, baud: baud, duration: nil, title: nil)
    return try ProfileLearner(
      ToySource(sketch: sketch), header: header, events: events, isOver: isOver
    ).learn()
  }

  private static func numbers(_ text: String) -> [Int] {
    text.split { !"-0123456789".contains($0) }.compactMap { Int($0) }
  }

  /// Lines `pan,tilt`.
  private static let pair = ToySketch.lines { board, line in
    let numbers = numbers(line)
    guard numbers.count == 2 else { return }
    board.servo(numbers[0], on: 9)
    board.servo(numbers[1], on: 10)
  }

  struct Kind: Sendable, CustomTestStringConvertible {
    var testDescription: String
    var sketch: ToySketch
    var session: [String]
    var gap = Interval.milliseconds(500)
    var baud = 115_200
    var expected: [String]
  }

  private static let kinds = [
    Kind(
      testDescription: "lines", sketch: pair,
      session: (0..<40).map { "\(90 - $0),\(60 + $0)\n" }, gap: .milliseconds(33),
      expected: ["{a:0..180},{b:0..180}{\\r?}\\n"]),
    Kind(
      testDescription: "a sketch that goes a tenth of the way",
      sketch: .lines { board, line in
        let numbers = numbers(line)
        guard numbers.count == 2, numbers.allSatisfy({ abs($0) <= 90 }) else { return }
        if board.memory.isEmpty { board.memory = [90, 90] }
        for (index, number) in numbers.enumerated() {
          board.memory[index] += (90 + Double(number) - board.memory[index]) / 10
          board.servo(Int(board.memory[index]), on: 9 + index)
        }
      },
      session: (0..<30).map { "\(3 * $0 % 40),\(20 - $0)\n" }, gap: .milliseconds(33),
      expected: ["{a:-90..90},{b:-90..90}{\\r?}\\n"]),
    Kind(
      testDescription: "commands without an end",
      sketch: ToySketch(baud: 9_600) { board, byte in
        guard let byte else { return }
        if byte == UInt8(ascii: "X") { board.text = [] }
        board.text.append(byte)
        let text = String(decoding: board.text, as: UTF8.self)
        let numbers = numbers(text)
        guard byte == UInt8(ascii: "Z"), text.hasPrefix("X"), numbers.count == 2 else { return }
        board.servo(numbers[0] * 180 / 640, on: 9)
        board.servo(numbers[1] * 180 / 480, on: 10)
        board.text = []
      },
      session: ["X500Y240Z", "X100Y300Z", "X320Y100Z", "X320Y240Z\n"], baud: 9_600,
      expected: ["X{a:0..640}Y{b:0..480}Z"]),
    Kind(
      testDescription: "frames with a sum",
      sketch: ToySketch(baud: 19_200) { board, byte in
        guard let byte else {
          if !board.text.isEmpty { board.print("bad\r\n") }
          board.text = []
          return
        }
        if board.text.isEmpty, byte != 2 { return }
        board.text.append(byte)
        board.alarm = board.now + .milliseconds(50)
        guard board.text.count == 5 else { return }
        if board.text[1] == 2, board.text[4] == board.text[2] &+ board.text[3] {
          board.servo(Int(board.text[2]), on: 9)
          board.servo(Int(board.text[3]), on: 10)
          board.alarm = nil
        } else {
          board.print("bad\r\n")
        }
        board.text = []
      },
      session: ["\u{2}\u{2}-x\u{A5}", "\u{2}\u{2}Z\u{1E}x", "\u{2}\u{2}\n\u{AA}\u{B4}"],
      baud: 19_200,
      expected: ["\\x02\\x02{a:byte 0..180}{b:byte 0..180}{sum 3..}"]),
    Kind(
      testDescription: "bytes that look like letters",
      sketch: ToySketch(baud: 9_600) { board, byte in
        guard let byte else { return }
        board.text.append(byte)
        guard board.text.count == 4 else { return }
        for (index, value) in board.text.enumerated() { board.servo(Int(value), on: 2 + index) }
        board.text = []
      },
      session: ["-Zxd", "Z-<2", "d2F1"], baud: 9_600,
      expected: ["{a:byte 0..180}{b:byte 0..180}{c:byte 0..180}{d:byte 0..180}"]),
    Kind(
      testDescription: "words with the high byte first",
      sketch: ToySketch(baud: 115_200) { board, byte in
        guard let byte else { return }
        if board.text.isEmpty, byte != 0xFF { return }
        board.text.append(byte)
        guard board.text.count == 4 else { return }
        let word = Int(board.text[1]) << 8 | Int(board.text[2])
        if word <= 1_023, board.text[3] == 0xFE { board.servo(word * 180 / 1_023, on: 9) }
        board.text = []
      },
      session: ["\u{FF}\u{1}\u{20}\u{FE}", "\u{FF}\u{3}\u{90}\u{FE}", "\u{FF}\0\u{50}\u{FE}"],
      expected: ["\\xff{a:u16be 0..1023}\\xfe"]),
    Kind(
      testDescription: "numbers by place",
      sketch: .lines { board, line in
        let digits = Array(line.utf8)
        guard digits.count >= 7 else { return }
        func number(_ range: Range<Int>) -> Int {
          let text = String(decoding: digits[range.clamped(to: 0..<digits.count)], as: UTF8.self)
          return Int(text.trimmingPrefix(" ").prefix { $0.isNumber }) ?? 0
        }
        board.servo(number(2..<5), on: 9)
        board.servo(number(6..<9), on: 10)
      },
      session: ["P 090 120\n", "P 045 060\n", "P 010 170\n"],
      expected: ["P {a:3 0..180} {b:3 0..180}{\\r?}\\n"]),
    Kind(
      testDescription: "an empty line",
      sketch: .lines { board, line in
        if line.isEmpty {
          board.pin(6, true)
          board.pin(6, false, after: .milliseconds(300))
          board.busy = board.now + .milliseconds(300)
        } else if line.utf8.count == 7 {
          for (index, number) in numbers(line).prefix(2).enumerated() {
            board.servo(number, on: 9 + index)
          }
        }
      },
      session: ["045_120\n", "\n", "090_060\n"],
      expected: ["{a:3 0..180}_{b:3 0..180}\\n", "\\n"]),
    Kind(
      testDescription: "a sketch that prints by itself",
      sketch: .lines(printing: "512\r\n") { board, line in
        if line == "ON" || line == "OFF" { board.pin(13, line == "ON") }
      },
      session: ["ON\n", "OFF\n"], expected: ["ON\\n", "OFF\\n"]),
    Kind(
      testDescription: "a line end that does nothing",
      sketch: ToySketch(baud: 9_600) { board, byte in
        if byte == UInt8(ascii: "L") { board.pin(7, true) }
        if byte == UInt8(ascii: "l") { board.pin(7, false) }
      },
      session: ["L\n", "l\n", "L\n", "l\n"], baud: 9_600, expected: ["L", "l"]),
    Kind(
      testDescription: "text between marks",
      sketch: ToySketch(baud: 9_600) { board, byte in
        guard let byte else { return }
        if byte == 2 { board.text = [] }
        board.text.append(byte)
        let number = numbers(String(decoding: board.text, as: UTF8.self)).first
        if byte == 3, board.text.starts(with: [2, UInt8(ascii: "A")]), let number {
          board.servo(number, on: 9)
        }
      },
      session: ["\u{2}A90\u{3}", "\u{2}A7\u{3}", "\u{2}A145\u{3}"], baud: 9_600,
      expected: ["\\x02A{a:0..180}\\x03"]),
    Kind(
      testDescription: "numbers with and without decimals",
      sketch: .lines { board, line in
        if let number = Double(line) { board.servo(Int(number), on: 9) }
      },
      session: ["90\n", "45.5\n", "7\n", "120.5\n"],
      expected: ["{a:0.0..180.0}\\n"]),
  ]

  @Test(arguments: kinds)
  func `A sketch of a common kind gets its commands`(_ kind: Kind) throws {
    let proposal = try Self.proposal(
      kind.sketch, kind.session, every: kind.gap, baud: kind.baud)
    #expect(proposal.profile.commands.map(\.description) == kind.expected)
    #expect(proposal.isUsable)
    #expect(!proposal.yaml(sketch: "a.elf", session: "b").contains("Not certain"))
  }

  @Test func `All commands are counted, and all their numbers are in the range`() throws {
    let session = (0..<60).map { "\(90 - $0),\(60 + $0)\n" }
    let text = try Self.proposal(Self.pair, session, every: .milliseconds(33))
      .yaml(sketch: "a.elf", session: "b")
    #expect(text.contains("Seen 60 times"))
    #expect(text.contains("a: sent 31 to 90, outputs follow at 0 to 180."))
    #expect(text.contains("b: sent 60 to 119, outputs follow at 0 to 180."))
  }

  @Test func `An answer is told from what the sketch prints by itself`() throws {
    let sketch = ToySketch.lines(printing: "t 21.5\r\n") { board, line in
      guard let angle = Self.numbers(line).first else { return }
      board.servo(angle, on: 9)
      board.print("ok\r\n")
    }
    let text = try Self.proposal(sketch, ["P90\n", "P45\n", "P10\n"])
      .yaml(sketch: "a.elf", session: "b")
    #expect(text.contains("'P{a:0..180}{\\r?}\\n': 'ok'"), "\(text)")
  }

  @Test func `The busy time of a command without numbers is known`() throws {
    let text = try Self.proposal(Self.kinds[7].sketch, Self.kinds[7].session)
      .yaml(sketch: "a.elf", session: "b")
    #expect(text.contains("The sketch is busy for 29") || text.contains("for 300 ms"), "\(text)")
  }

  @Test func `A value that the sketch limits is in the range if the session has it`() throws {
    let proposal = try Self.proposal(Self.pair, ["90,60\n", "200,45\n", "10,70\n"])
    #expect(
      proposal.profile.commands.map(\.description) == ["{a:0..200},{b:0..180}{\\r?}\\n"])
  }

  @Test func `Numbers that were not tried because the time was over are those of the session`()
    throws
  {
    let over = try Self.proposal(Self.pair, ["90,60\n"], isOver: { true })
    #expect(!over.isUsable)
    #expect(over.yaml(sketch: "a.elf", session: "b").contains("The last 6 bytes"))
  }
}
