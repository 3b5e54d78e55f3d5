import Aim
import Sketches
import Testing

@Suite struct CommandStreamTests {
  /// Takes a command for this angle, or a lost target for nil, every 100 ms. Returns the numbers of
  /// the pictures with what was sent at them.
  private static func sent(
    _ angles: [Int?], rate: Double?, _ change: (inout AimOptions) throws -> Void = { _ in }
  ) throws -> [String] {
    var options = AimOptions()
    try change(&options)
    var stream = CommandStream(options, rate: rate)
    var lines: [String] = []
    func add(_ sent: CommandStream.Pace.Sent?) {
      if let sent {
        lines.append("\(sent.time.nanoseconds / 100_000_000) \(sent.command)")
      }
    }
    for (number, angle) in angles.enumerated() {
      let time = Instant.zero + .milliseconds(100 * Int64(number))
      add(stream.advance(to: time))
      let command = angle.map { TurretCommand.aim(Angles(x: $0, y: 90), by: options.command) }
      stream.take(
        command ?? .lost(options.lost), angle.map { .turret(x: Double($0), y: 90) }, at: time
      ).forEach(add)
    }
    add(stream.finish())
    return lines
  }

  private static func fires(_ options: inout AimOptions, when: String) throws {
    options.fire = FireOptions(Array("F".utf8), when: try FireCondition(when))
  }

  @Test func `Shots and commands share the rate, and a shot has precedence`() throws {
    let walk = (80..<90).map { Int?($0) }
    let condition = "on target for 0s every 200ms"
    #expect(
      try Self.sent(walk, rate: nil) { try Self.fires(&$0, when: condition) } == [
        "0 X80.", "1 X81.", "2 X82.", "3 F", "3 X83.", "4 X84.", "5 F", "5 X85.", "6 X86.", "7 F",
        "7 X87.", "8 X88.", "9 F", "9 X89.",
      ])
    #expect(
      try Self.sent(walk, rate: 5) { try Self.fires(&$0, when: condition) } == [
        "0 X80.", "2 X82.", "4 F", "6 X86.", "8 F", "10 X89.",
      ])
  }

  @Test func `A pause that ends a command limits the rate`() throws {
    #expect(
      try Self.sent([1, 2, 3, 4], rate: 50) {
        $0.command = try CommandTemplate("P{pan}{pause 200ms}")
        $0.lost = []
      } == ["0 P1", "2 P3", "4 P4"])
  }

  @Test func `A lost target sends nothing if the sketch has no command for it`() throws {
    #expect(
      try Self.sent([nil, 5, nil, nil, 5, 6, nil], rate: nil) { $0.lost = [] } == [
        "1 X5.", "5 X6.",
      ])
  }

  @Test func `Where the turret points is unknown after a command for a lost target`() throws {
    func shots(_ lost: String) throws -> [String] {
      let angles = [Int?](repeating: 90, count: 6) + [nil] + [Int?](repeating: 90, count: 6)
      return try Self.sent(angles, rate: nil) {
        try Self.fires(&$0, when: "on target for 0s")
        $0.lost = Array(lost.utf8)
      }.filter { $0.hasSuffix("F") }
    }
    #expect(try shots("") == ["5 F", "7 F"])
    #expect(try shots("L") == ["5 F", "12 F"])
  }

  @Test func `The commands are a profile, unless they are those of the bench`() throws {
    func forms(_ change: (inout AimOptions) throws -> Void) throws -> [String]? {
      var options = AimOptions()
      try change(&options)
      return try options.ownProfile?.commands.map { $0.description }
    }
    #expect(try forms { _ in } == nil)
    let shot = try forms { $0.fire = FireOptions(Array("T".utf8), when: FireCondition(time: 0)) }
    #expect(shot == nil, "T is a command of guarded")
    #expect(try forms { $0.lost = [] } == ["X{pan:0..180}."])
    #expect(
      try forms {
        $0.command = try CommandTemplate(#"P{pan},{tilt}\n"#)
        try Self.fires(&$0, when: "on target for 0s")
      } == [#"P{pan:0..180},{tilt:0..180}\n"#, "L", "F"])
    #expect(throws: CommandTextError.self) {
      try forms {
        $0.lost = Array("F1".utf8)
        try Self.fires(&$0, when: "on target for 0s")
      }
    }
  }
}
