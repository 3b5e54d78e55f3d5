import Devices
import Sketches
import TestSupport
import Testing
import Traces

@testable import Judging

@Suite struct ProfileLearnerTests {
  /// Learns a profile from a sketch of the bench and a session.
  private static func proposal(_ firmware: Firmware, _ script: String) throws -> ProfileProposal {
    let header = Header(firmware: firmware, duration: nil, title: nil)
    return try ProfileLearner(
      OneFirmware(firmware: firmware), header: header, events: [Event](script: script)
    ).learn()
  }

  /// Models of one sketch, whatever is requested.
  private struct OneFirmware: DeviceSource {
    let firmware: Firmware

    var name: String { "model" }
    func observes(_: Firmware) -> Set<Output.Kind> { ModelSource().observes(firmware) }
    func makeDevice(
      for header: Header, firmware _: Firmware, showsPulses: Bool
    ) throws(DeviceError) -> ModelSource.Made {
      ModelSource().makeDevice(for: header, firmware: firmware, showsPulses: showsPulses)
    }
  }

  @Test func `Numbers get the range in which the servo follows`() throws {
    let proposal = try Self.proposal(.guarded, "1500 X45. | 2500 X100. | 3500 L | 5000 X7.")
    #expect(proposal.profile.commands.map(\.description) == ["X{a:0..180}.", "L"])
    #expect(proposal.commandCount == 4)
    #expect(proposal.refusedCount == 0)
    #expect(proposal.profile.servos == [.init("servo9", .usualServo)])
  }

  @Test func `The proposal accepts the session's commands`() throws {
    let proposal = try Self.proposal(.guarded, "1500 X45.X90. | 2500 L | 3000 X120.")
    let profile = proposal.profile
    for command in ["X45.", "X90.", "L", "X0."] {
      #expect(profile.form(of: Array(command.utf8)) != nil, "\(command)")
    }
    #expect(profile.form(of: Array("X200.".utf8)) == nil)
  }

  @Test func `Bytes after which nothing follows are commands if a pause ends them`() throws {
    let proposal = try Self.proposal(.guarded, "1500 Q | 2500 X45.")
    #expect(proposal.profile.commands.map(\.description) == ["Q", "X{a:0..180}."])
    #expect(proposal.yaml(sketch: "a.elf", session: "b").contains("nothing observable"))
  }

  @Test func `A command that lost its end is no command of its own`() throws {
    let proposal = try Self.proposal(.classic, "1500 X99. | 3500 X110 | 9500 X45.")
    #expect(proposal.profile.commands.first?.description == "X{a:0..180}.")
    #expect(proposal.isUsable)
  }

  /// What a sketch does with a number: it moves within a range, and clamps the number to limits.
  struct Search: Sendable, CustomTestStringConvertible {
    var testDescription: String
    var seen: Int32
    var works: ClosedRange<Int32>
    var limit: ClosedRange<Int32>
    var expected: ClosedRange<Int32>
  }

  @Test(arguments: [
    Search(
      testDescription: "refused outside", seen: 45, works: 0...180, limit: 0...180,
      expected: 0...180),
    Search(
      testDescription: "limited", seen: 45, works: -32_768...32_767, limit: 0...180,
      expected: 0...180),
    Search(
      testDescription: "odd ends", seen: 77, works: 21...158, limit: 0...180, expected: 21...158),
    Search(testDescription: "one", seen: 3, works: 3...3, limit: 0...9, expected: 3...3),
    Search(
      testDescription: "negative", seen: 10, works: -90...90, limit: -90...90,
      expected: -90...90),
  ])
  func `The ends of a range are found`(_ search: Search) {
    let channel = TrialPositions().after([.servo(degrees: 0, microseconds: 2_000)])
    let ranges = RangeSearch(within: -32_768...32_767, from: channel) { number in
      let place = min(max(number, search.limit.lowerBound), search.limit.upperBound)
      let servo = Output.servo(degrees: 0, microseconds: UInt16(10_000 + 10 * place))
      let follows = search.works.contains(number)
      return RangeSearch.Response(
        follows: follows, positions: channel.after(follows ? [servo] : []))
    }
    #expect(ranges.range(around: search.seen, known: search.seen...search.seen) == search.expected)
  }

  @Test(
    arguments: [(640, 0...640), (1_023, 0...1_023), (4_095, 0...4_095)]
      as [(Int32, ClosedRange<Int32>)])
  func `The end of a range is the likely one of numbers with the same effect`(
    _ top: Int32, _ expected: ClosedRange<Int32>
  ) {
    let start = TrialPositions()
    let ranges = RangeSearch(within: -32_768...32_767, from: start) { number in
      let degrees = min(max(Int(number) * 180 / Int(top), 0), 180)
      let servo = Output.servo(degrees: 0, microseconds: UInt16(544 + 10 * degrees))
      return RangeSearch.Response(follows: true, positions: start.after([servo]))
    }
    #expect(ranges.range(around: 100, known: 100...300) == expected)
  }

  @Test(arguments: [17, 40])
  func `A number can have more decimals than a profile can express`(_ count: Int) throws {
    let decimals = String(repeating: "7", count: count)
    let proposal = try Self.proposal(.classic, "1500 A0.\(decimals)")
    #expect(proposal.commandCount == 1 && !proposal.isUsable)
  }

  @Test func `A tone that the sketch chooses for itself says nothing about a range`() throws {
    let proposal = try Self.proposal(.buzzer, "1500 X10. | 2500 X100.")
    #expect(proposal.profile.commands.map(\.description) == ["X{a:0..180}."])
  }

  @Test func `Numbers that the sketch refuses are not in the range`() throws {
    let proposal = try Self.proposal(.guarded, "1500 X45. | 2500 X200. | 3500 X100.")
    #expect(proposal.profile.commands.map(\.description) == ["X{a:0..180}."])
    #expect(proposal.refusedCount == 5)
  }

  @Test(
    arguments: [
      ("P90,45", "P#,#", [90, 45]), ("S1:-20", "S#:#", [1, -20]), ("A1-2", "A#-#", [1, 2]),
      ("F", "F", []), ("B99999999999", "B99999999999", []),
    ] as [(String, String, [Int32])])
  func `Digits in a text are numbers`(_ text: String, _ parts: String, _ values: [Int32]) {
    let shape = CommandShape(text: Array(text.utf8))
    #expect(shape.values == values)
    let found = shape.parts.map { part in
      if case .byte(let byte) = part { String(Unicode.Scalar(byte)) } else { "#" }
    }
    #expect(found.joined() == parts)
  }

  @Test(arguments: [
    "P{a:-32768..32767},{b:-9..9}\n", "a{a:3}{b:2}{c:1}", "\\xff{a:byte 0..255}{b:u16le}\\xfe",
    "S{a:u16be}{b:i8}{sum 2..}", "A{a:-99.99..99.99};", "$P{a:0..180}*{xor hex 2..-2}\n",
  ])
  func `The numbers of a command are found again`(text: String) throws {
    let form = try CommandForm(text)
    var random = SeededGenerator(seed: 7)
    for _ in 0..<50 {
      let values = form.fields.map { Int32.random(in: $0.range, using: &random) }
      #expect(form.values(of: form.bytes(values)) == values)
      #expect(form.values(of: form.bytes(values) + [0]) == nil)
    }
  }

  @Test(
    arguments: [
      ("9:100 9:10 9:1 10:100 10:10 10:1 7:1", [3, 3, 1]), ("9:1000 9:100 9:10 9:1", [4]),
      ("- 9:10 9:1 10:10 10:1", [3, 2]), ("s 9:100 9:10 9:1", [1, 3]), ("9:1 9:1", [1, 1]),
      ("- - -", [1, 1, 1]), ("9:1", [1]), ("", []),
    ] as [(String, [Int])])
  func `Digits are divided where another thing moves, or moves further`(
    _ roles: String, _ widths: [Int]
  ) throws {
    let roles = try roles.split(separator: " ").map { word -> NumberPlaces<Model>.Role in
      if word == "-" { return .fixed }
      if word == "s" { return .selects }
      let parts = word.split(separator: ":")
      let pin = try #require(BoardPin(name: "D\(parts[0])"))
      return .moves(.servo(pin), slope: try #require(Double(parts[1])))
    }
    #expect(NumberPlaces<Model>.widths(roles) == widths)
  }

  private typealias Model = ModelSource.Made

  @Test(
    arguments: [
      (
        [[0xFF, 1, 2, 3], [0xFF, 9, 2, 11], [0xFF, 200, 100, 44]], CommandChecksum(.sum, first: 2)
      ),
      ([[2, 1, 2, 1], [2, 9, 2, 9], [2, 200, 100, 174]], CommandChecksum(.xor)),
      ([[0x55, 1, 0xFE], [0x55, 9, 0xF6]], CommandChecksum(.complement, first: 2)),
      ([[1, 2, 3, 250], [1, 2, 9, 244]], CommandChecksum(.negative)),
      ([[1, 2, 3, 7], [1, 2, 9, 8]], nil),
    ] as [([[UInt8]], CommandChecksum?)])
  func `A checksum is one that all commands have`(
    _ commands: [[UInt8]], _ checksum: CommandChecksum?
  ) {
    let found = ChecksumSearch.binary(in: commands, at: commands[0].count - 1)
    #expect(found.first == checksum || checksum.map { found.contains($0) } == true, "\(found)")
  }

  @Test func `Lines with a checksum in hexadecimal digits are found`() {
    let lines = ["$P90*6A\n", "$P45*71\n", "$P7*67\r\n"].map { Array($0.utf8) }
    let form = CommandForm([
      .byte(0x24), .byte(0x50), .number(CommandField("a", 0...180)), .byte(0x2A),
      .checksum(CommandChecksum(.xor, isHexadecimal: true, first: 2, last: -2)), .byte(0x0A),
    ])
    let right = [90, 45, 7].map { form.bytes([$0]) }
    #expect(
      ChecksumSearch.text(in: right)
        == CommandChecksum(.xor, isHexadecimal: true, first: 2, last: -2))
    #expect(ChecksumSearch.text(in: [right[0]]) == nil)
    #expect(ChecksumSearch.text(in: lines.map { $0.dropLast() + [0x21] }) == nil)
  }

  @Test func `A profile without a command still states what was found`() throws {
    let proposal = try Self.proposal(.guarded, "")
    #expect(!proposal.isUsable)
    let text = proposal.yaml(sketch: "a.elf", session: "b")
    #expect(text.contains("# Tried: "))
    #expect(!text.contains("commands:"))
  }

  @Test(
    arguments: [
      ("F\nP90\n", [0x0A]), ("F\r\n", [0x0D, 0x0A]), ("F\r", [0x0D]), ("X90.", []),
      ("\u{84}\n", []),
    ] as [(String, [UInt8])])
  func `The end of lines is found in text`(_ text: String, _ lineEnd: [UInt8]) {
    let bytes = text.unicodeScalars.map { UInt8($0.value) }
    #expect(SessionPiece.lineEnd(of: bytes) == lineEnd)
  }

  @Test func `Random sessions give a proposal or none, and never crash`() throws {
    for seed in UInt64(1)...6 {
      var generator = SeededGenerator(seed: seed)
      let bytes = (0..<12).map { _ in UInt8.random(in: 0...255, using: &generator) }
      let events = bytes.enumerated().map { index, byte in
        Event(.zero + .milliseconds(Int64(1_500 + 30 * index)), .receive([byte, 0x58]))
      }
      let proposal = try ProfileLearner(
        OneFirmware(firmware: .guarded),
        header: Header(firmware: .guarded, duration: nil, title: nil), events: events
      ).learn()
      #expect(proposal.commandCount > 0, "seed \(seed)")
      #expect(CommandForm.overlap(in: proposal.profile.commands) == nil, "seed \(seed)")
    }
  }
}
