import Judging
import Platform
import Sketches
import TestSupport
import Testing

struct ProfileParserTests {
  private static let example = """
    # A pan-tilt turret.
    commands: ["P{pan:0..180},{tilt:0..180}\\n", F, 'S\\n']
    replaces: P
    baud: 115200
    servos: {pan: D9, tilt: D10}
    pins: {fire: D7}
    boot: "ready\\r\\n"
    scan: 'S\\n'
    centre: "P90,90\\n"
    """

  private static func read(_ text: String) throws(NotationError) -> Profile {
    try ProfileParser(path: "turrets/mine.yaml")
      .profile(YAMLText.documents(in: Array(text.utf8)))
  }

  @Test func `A file states a profile`() throws {
    let profile = try Self.read(Self.example)
    #expect(profile.name == "mine")
    #expect(profile.commands.map(\.description) == ["P{pan:0..180},{tilt:0..180}\\n", "F", "S\\n"])
    #expect(profile.commands.map(\.isReplaceable) == [true, false, false])
    #expect(profile.baud == 115_200)
    #expect(profile.servo(named: "tilt") == BoardPin(name: "D10"))
    #expect(profile.pin(named: "fire") == BoardPin(name: "D7"))
    #expect(profile.servo(named: "fire") == nil)
    #expect(profile.boot == Array("ready\r\n".utf8))
    #expect(profile.hold == nil)
    #expect(profile.scan == Array("S\n".utf8))
    #expect(profile.centre == Array("P90,90\n".utf8))
  }

  @Test func `A line end is added to each command without one`() throws {
    let profile = try Self.read(
      """
      name: turret
      line end: \\r\\n
      commands: ["P{pan:0..180}", "F\\r\\n"]
      centre: P90
      """)
    #expect(profile.name == "turret")
    #expect(profile.commands.map(\.description) == ["P{pan:0..180}\\r\\n", "F\\r\\n"])
    #expect(profile.centre == Array("P90\r\n".utf8))
  }

  @Test func `A line end can have a byte that can be missing, or be a pause`() throws {
    let lines = try Self.read("line end: '{\\r?}\\n'\ncommands: ['P{pan:0..180}', F]\ncentre: P90")
    #expect(lines.commands.map(\.description) == ["P{pan:0..180}{\\r?}\\n", "F{\\r?}\\n"])
    #expect(lines.centre == Array("P90\n".utf8))
    let paused = try Self.read(
      "line end: '{pause 50ms}'\ncommands: ['P{pan:0..180}', F]\ncentre: P90")
    #expect(paused.commands.map(\.description) == ["P{pan:0..180}{pause 50ms}", "F{pause 50ms}"])
    #expect(paused.centre == Array("P90".utf8))
  }

  @Test func `The answers to commands are stated`() throws {
    let profile = try Self.read(
      """
      commands: ["P{pan:0..180}\\n", "?\\n", "F\\n", "G\\n"]
      answers: {P: ok, "?": "pos {pan:0..180}", F: none}
      """)
    #expect(profile.commands.map { $0.answer?.text } == ["ok", "pos {pan:0..180}", "none", nil])
    #expect(profile.commands[1].answer?.matches(Array("pos 7".utf8)) == true)
    #expect(profile.commands[1].answer?.matches(Array("pos 7 ".utf8)) == false)
  }

  @Test func `Letters in either case are accepted if the profile ignores case`() throws {
    let profile = try Self.read(
      "ignore case: yes\ncommands: ['P{pan:0..180}\\n', 'go\\n']\nreplaces: P\ncentre: p90\\n")
    #expect(profile.commands.map(\.description) == ["{P|p}{pan:0..180}\\n", "{g|G}{o|O}\\n"])
    #expect(profile.commands[0].isReplaceable)
    #expect(profile.form(of: Array("gO\n".utf8)) == 1)
  }

  @Test(arguments: Firmware.allCases)
  func `The name of a sketch of the bench is its profile`(firmware: Firmware) throws {
    #expect(try Self.read(firmware.rawValue) == Profile(firmware))
  }

  @Test(arguments: [
    ("", 1, 1, "found nothing"), ("other", 1, 1, Firmware.list),
    ("baud: 9600", 1, 1, "expected \"commands\""), ("commands: []", 1, 11, "a list of commands"),
    ("commands: F", 1, 11, "a list of commands"),
    ("commands: [F]\ncomands: [G]", 2, 1, "did you mean \"commands\"?"),
    ("commands: [F]\ncommands: [G]", 2, 1, "each key once"),
    ("commands: [F]\n---\ncommands: [G]", 3, 1, "one profile"),
    ("commands: [F, 'P{a}']", 1, 15, "at character 2 of \"P{a}\""),
    ("commands: ['P{a:0..9}']", 1, 12, "a byte after {a}"),
    ("commands: [F, FIRE]", 1, 15, "F can end where FIRE continues"),
    ("commands: [F]\nbaud: 0", 2, 7, "a speed"), ("commands: [F]\nbaud: fast", 2, 7, "a speed"),
    ("commands: [F]\nservos: {pan: D99}", 2, 15, "\"D0\" to \"D13\""),
    ("commands: [F]\nservos: {D9: D9}", 2, 10, "not a pin's"),
    ("commands: [F]\nservos: {a: D9, b: D9}", 2, 17, "a is on D9"),
    ("commands: [F]\nservos: {a: D9}\npins: {a: D8}", 3, 8, "a is on D9"),
    ("commands: [F]\nreplaces: [G]", 2, 12, "the beginning of a command (F)"),
    ("commands: [FA, FB]\nreplaces: [F]", 2, 12, "only one command"),
    ("commands: [F]\ncentre: P90", 2, 9, "one command in full (F)"),
    ("commands: ['P{a:0..9}.']\nscan: P99.", 2, 7, "one command in full"),
    ("commands: [F]\nboot: ''", 2, 7, "at least one byte"),
    ("commands: [F]\nignore case: maybe", 2, 14, "yes or no"),
    ("commands: [F]\nanswers: {G: ok}", 2, 11, "the beginning of a command (F)"),
    ("commands: [F]\nanswers: {F: ''}", 2, 14, "a line that the sketch sends"),
    ("commands: [F]\nanswers: {F: 'a{pan}'}", 2, 14, "at character 2"),
    ("commands: [F]\nanswers: ok", 2, 10, "with their answers"),
    ("commands: [F]\nline end: ''", 2, 11, "at least one byte"),
    ("commands: [F]\nline end: '{a:0..9}'", 2, 11, "what ends each command"),
    ("commands: ['0xFF {a:u9}']", 1, 12, "at character 6"),
    ("commands: ['F{pause}', 'FX{pause}', 'F{pause 5ms}']", 1, 37, "F{pause} can end where"),
  ])
  func `A mistake has its place, and says what was expected`(
    text: String, line: Int, column: Int, words: String
  ) {
    let error = #expect(throws: NotationError.self) { try Self.read(text) }
    #expect(error?.place == Notation.Place(line: line, column: column))
    #expect(error?.message.contains(words) == true, "\(error?.message ?? "")")
  }

  @Test(arguments: 0..<8)
  func `Damaged profiles give a profile or an error with a message`(seed: UInt64) {
    var random = SeededGenerator(seed: seed)
    let pieces = ["{", "}", "..", ":", "\\", "\"", "[", "]", ",", "\n", "-", "99999999999", "byte"]
    for _ in 0..<300 {
      var text = Array(Self.example.utf8)
      for _ in 0..<Int.random(in: 1...8, using: &random) {
        let place = Int.random(in: 0...text.count, using: &random)
        switch Int.random(in: 0..<3, using: &random) {
        case 0: text.insert(.random(in: 0...255, using: &random), at: place)
        case 1: text.insert(contentsOf: pieces.randomElement(using: &random)!.utf8, at: place)
        default: text.removeSubrange(place..<min(text.count, place + 5))
        }
      }
      do throws(NotationError) {
        let profile = try ProfileParser(name: "").profile(YAMLText.documents(in: text))
        #expect(!profile.commands.isEmpty, "seed \(seed)")
      } catch {
        #expect(!error.message.isEmpty, "seed \(seed)")
      }
    }
  }
}
