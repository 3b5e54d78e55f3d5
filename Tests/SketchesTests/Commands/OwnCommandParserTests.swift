import Sketches
import TestSupport
import Testing

struct OwnCommandParserTests {
  private static func profile() throws -> Profile {
    var profile = Profile(
      name: "mine",
      commands: try ["P{pan:0..180},{tilt:0..180}\\n", "F", "S\\n"].map { try CommandForm($0) })
    profile.commands[0].isReplaceable = true
    profile.scan = Array("S\n".utf8)
    return profile
  }

  @Test(arguments: [
    ("P90,45\n", ["P90,45\n"]), ("FF", ["F", "F"]), (" F\r\n", ["F"]),
    ("P181,0\n", ["out-of-range:P181,0\n"]), ("P,1\n", ["no-digits:P,1\n"]),
    ("P0001,1\n", ["too-many-digits:P0001,1\n"]), ("P9F", ["broken-off:P9", "F"]),
    ("zzzF", ["unknown:zzz", "F"]), ("P90", []), ("X90.", ["unknown:X90."]),
  ])
  func `Commands and refusals of a profile are told apart`(text: String, words: [String]) throws {
    var parser = CommandParser(for: .guarded, profile: try Self.profile())
    #expect(parser.take(Array(text.utf8)).map(\.word) == words)
    #expect(parser.isOpen == (text == "P90"))
  }

  @Test(arguments: [
    ("P200,0\n", "pan is 0 to 180"), ("P1,\n", "tilt requires digits; tilt is 0 to 180"),
    ("P0000,0\n", "pan has at most 3 digits; pan is 0 to 180"),
    ("z", "not a command; expected P{pan:0..180},{tilt:0..180}\\n, F or S\\n"),
  ])
  func `A refusal says what the profile expects`(text: String, message: String) throws {
    var parser = CommandParser(for: .guarded, profile: try Self.profile())
    #expect(parser.take(Array(text.utf8)).first?.refusal?.message == message)
  }

  @Test func `A command without an end is refused as unfinished`() throws {
    var parser = CommandParser(for: .guarded, profile: try Self.profile())
    _ = parser.take(Array("P90,".utf8))
    let refusal = parser.finish()?.refusal
    #expect(refusal?.why == .unfinished)
    #expect(refusal?.text == "P90,")
    #expect(parser.finish() == nil)
  }

  @Test func `A command that a pause ends is complete at the end of a message, or when time is up`()
    throws
  {
    let profile = Profile(name: "mine", commands: [try CommandForm("P{pan:0..180}{pause}")])
    var parser = CommandParser(for: .guarded, profile: profile)
    #expect(parser.take(Array("P90".utf8)).map(\.word) == ["P90"])
    #expect(parser.take(Array("P181".utf8)).map(\.word) == ["out-of-range:P181"])
    // Over TCP nothing says where a message ends.
    var gatherer = RefusalGatherer(endsAtLines: true)
    #expect(parser.take(Array("P4".utf8), into: &gatherer, isWhole: false).isEmpty)
    #expect(parser.take(Array("5".utf8), into: &gatherer, isWhole: false).isEmpty)
    #expect(parser.finish()?.command?.bytes == Array("P45".utf8))
    #expect(parser.finish() == nil)
  }

  @Test func `A wrong checksum is refused with the right one`() throws {
    let profile = Profile(name: "mine", commands: [try CommandForm("A{pan:byte}{sum}")])
    var parser = CommandParser(for: .guarded, profile: profile)
    let refusal = parser.take([0x41, 1, 0x43]).first?.refusal
    #expect(refusal?.why == .wrongChecksum)
    #expect(refusal?.message == "the checksum of these bytes is 0x42")
  }

  @Test func `Only what may be replaced or says how the turret is left is lasting`() throws {
    let profile = try Self.profile()
    let lasting = ["P1,2\n", "F", "S\n"].map { Command(Array($0.utf8), of: profile)?.isLasting }
    #expect(lasting == [true, false, true])
    #expect(Command(Array("P1,2".utf8), of: profile) == nil)
  }

  /// The bench's own sketches have a separate, faster parser. After `-` the two differ in what they
  /// refuse: a profile's parser takes it as the beginning of a number out of range. The faster one
  /// takes only `X` as the beginning of a number.
  @Test(arguments: Firmware.allCases.filter { $0.sketch.aimLetters == Array("X".utf8) }, 0..<20)
  func `A profile of the bench finds the commands that its own machine finds`(
    firmware: Firmware, seed: UInt64
  ) {
    var random = SeededGenerator(seed: seed)
    let pieces = [
      "X", "L", "T", "?", "V", ".", "0", "18", "180", "181", " ", "\n", "X90.", "X7.",
    ]
    var bytes: [UInt8] = []
    for _ in 0..<300 {
      bytes += Array(pieces.randomElement(using: &random)!.utf8)
      if Bool.random(using: &random) { bytes.append(.random(in: 0...255, using: &random)) }
    }
    bytes.removeAll { $0 == UInt8(ascii: "-") }
    var fast = CommandParser(for: firmware)
    var slow = CommandParser(for: firmware, profile: Profile(firmware))
    for byte in bytes {
      // An aim is written again without leading zeros.
      let own = slow.take(byte).compactMap(\.command).map(\.bytes.count)
      #expect((fast.take(byte).compactMap(\.command).isEmpty) == own.isEmpty, "seed \(seed)")
      #expect(fast.isOpen == slow.isOpen, "seed \(seed)")
    }
  }
}
