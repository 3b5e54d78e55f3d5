import Sketches
import TestSupport
import Testing

@testable import Pictures

struct LiveScreenTests {
  private static func lines(
    _ status: LiveStatus, _ columns: Int, _ rows: Int, _ glyphs: GlyphSet = .unicode,
    inColour: Bool = false
  ) -> [String] {
    LiveScreen(
      size: ScreenSize(columns: columns, rows: rows), glyphs: glyphs, inColour: inColour
    ).lines(for: status)
  }

  private static func text(_ lines: [String]) -> String { lines.joined(separator: "\n") }

  @Test func `The screen fills 80 columns and 24 rows`() {
    #expect(
      Self.text(Self.lines(.known, 80, 24)) == """
         SentryBench  /tmp/ttySentry                            Ctrl-C or q ends   83 s
         classic · model · 9600 baud · 1 program has it open            ● evening.jsonl

                              90                     sweeping up ↑
                   60                 ⡀120           commanded 120°   1781 us
                        ⢀⣀⡤⠤⡖⠒⢲⠒⠒⡦⠤⣄⣀ ⣿⠶             shaft     118.6°
                      ⡠⠒⡍ ⠃   ⠘    ⠃⠈⡝⠣⡀             tone      silent
            30      ⡔⠉⠂ ⠈          ⣰⡌  ⠊⠑⡄    150    received  1 204 bytes
                  ⢠⠊⠈             ⣴⠟    ⠈⠈⢢          commands  301
                 ⢰⠃⠉⠂            ⣼⠏      ⠊⠁⢳         waiting   0 on line, 2 in buffer
                 ⡏⠉            ⢀⣼⠏        ⠈⠉⡇        lost      3 buffer full
                ⢸⠉            ⣀⣾⠋          ⠈⢹        answered  0 bytes
          0     ⠘⠒⠒          ⠸⣿⡿          ⠐⠒⠚    180 delay     0.05 ms, at most 1.24
         ── commands as they are understood ───────────────────────────────────────────
            1.501042  X45.      aimed at 45
            1.505209  X9        had no end; the `X` of the next command ended it and
                                was lost
            1.507292  X200.     was not understood: its `X` ended the number before it
                                and was lost
            1.512500  L         sweeps


         ── copy a line into another terminal; widen the terminal for one more ────────
         printf X45. > /tmp/ttySentry
        """)
  }

  private static var panAndTilt: LiveStatus {
    var status = LiveStatus.known
    status.ownPin = .usualServo
    status.others = [
      ServoStatus(
        pin: BoardPin(name: "D10")!, commandedDegrees: 45, commandedMicroseconds: 1_008,
        shaftDegrees: 44.96, isShaftMoving: false)
    ]
    return status
  }

  @Test(arguments: [(80, 24, 1), (120, 30, 2), (160, 20, 1), (200, 50, 2)])
  func `Two servos have a dial each where there is room, and a line of figures anyway`(
    _ columns: Int, _ rows: Int, _ dials: Int
  ) {
    let lines = Self.lines(Self.panAndTilt, columns, rows)
    // The lowest label of a dial's scale.
    #expect(lines.reduce(0) { $0 + $1.split(separator: " ").count { $0 == "180" } } == dials)
    #expect(lines.contains { $0.contains("D10       45°   1008 us   45.0°") })
    #expect(lines.contains { $0.contains("D9 ") && $0.contains("D10 ") } == (dials == 2))
    #expect(lines.allSatisfy { $0.unicodeScalars.count <= columns })
  }

  @Test(
    arguments: [(80, 24, 4, "+13 servos not shown"), (200, 90, 17, nil)]
      as [(Int, Int, Int, String?)])
  func `The figures have as many servos as there is room for, and the number of the others`(
    _ columns: Int, _ rows: Int, _ count: Int, _ note: String?
  ) {
    var status = Self.panAndTilt
    status.others = (2...19).filter { $0 != 9 }.compactMap { BoardPin(arduino: $0) }.map {
      ServoStatus(
        pin: $0, commandedDegrees: 45, commandedMicroseconds: 1_008, shaftDegrees: 44.96,
        isShaftMoving: false)
    }
    let lines = Self.lines(status, columns, rows)
    #expect(lines.count { $0.contains("45°   1008 us   45.0°") } == count)
    #expect(lines.contains { $0.contains("not shown") } == (note != nil))
    if let note { #expect(lines.contains { $0.contains(note) }) }
  }

  @Test func `Dials and figures have the names that a profile gives the servos`() throws {
    var status = Self.panAndTilt
    var profile = Profile(name: "pan-tilt", commands: [CommandForm([.byte(0x46)])])
    profile.servos = [
      .init("pan", .usualServo), .init("tilt", try #require(BoardPin(name: "D10"))),
    ]
    status.profile = profile
    let lines = Self.lines(status, 120, 30)
    #expect(lines.contains { $0.contains("pan D9 ") && $0.contains("tilt D10 ") })
    #expect(lines.contains { $0.contains("tilt D10  45°   1008 us   45.0°") })
    // A name that is too long for the figures.
    profile.servos[1].name = "elevation"
    status.profile = profile
    let others = Self.lines(status, 120, 30)
    #expect(others.contains { $0.contains("elevation D10 ") })
    #expect(others.contains { $0.contains("D10       45°   1008 us   45.0°") })
  }

  @Test func `The keys are shown in the place of a missing recording`() {
    var status = LiveStatus.known
    status.keys = "b: 5 s back"
    #expect(Self.lines(status, 80, 24)[1].hasSuffix("● evening.jsonl"))
    status.recording = nil
    #expect(Self.lines(status, 80, 24)[1].hasSuffix("has it open                b: 5 s back"))
  }

  @Test(arguments: [(80, 24, true), (80, 10, true), (60, 12, true), (40, 10, false)])
  func `The screen says how the session ends if there is room`(
    _ columns: Int, _ rows: Int, _ isShown: Bool
  ) {
    let text = Self.text(Self.lines(.known, columns, rows))
    #expect(text.contains("Ctrl-C or q ends   83 s") == isShown)
    #expect(text.contains("83 s"))
  }

  @Test func `The screen says how the session ends if its keys cannot be read`() {
    let text = Self.text(Self.lines(.sample(), 80, 24))
    #expect(text.contains("Ctrl-C ends   3 s"))
  }

  @Test(arguments: [(0, "0 bytes"), (1, "1 byte"), (2, "2 bytes"), (1_204, "1 204 bytes")])
  func `A single byte is a byte`(_ count: Int, _ text: String) {
    var status = LiveStatus.known
    status.counts.received = count
    status.counts.transmitted = count
    let screen = Self.text(Self.lines(status, 80, 24))
    #expect(screen.contains("received  \(text)\n") || screen.contains("received  \(text) "))
    #expect(screen.contains("answered  \(text)\n") || screen.contains("answered  \(text) "))
    #expect(Self.text(Self.lines(status, 40, 10)).contains(" \(text) in, "))
  }

  @Test func `The screen says what cannot be seen of a board`() {
    var status = LiveStatus.known
    status.device = "avr"
    status.activity = nil
    status.counts.commands = nil
    status.counts.waitingInRing = nil
    status.recent = []
    let text = Self.text(Self.lines(status, 80, 24))
    #expect(text.contains("commands  unknown") && text.contains("the sketch's mode is unknown"))
    #expect(text.contains("how the sketch interprets bytes is unknown"))
    #expect(!text.contains("none yet"))
  }

  @Test func `The screen fills 40 columns and 10 rows`() {
    #expect(
      Self.text(Self.lines(.known, 40, 10)) == """
         classic · model · 9600 baud       83 s
         /tmp/ttySentry            1 program  ●
                                ▼
         0 ├───────────────┼───━━─────────┤ 180
                               ▲
         ▼ commanded 120°  ▲ shaft 118.6°
         sweeping up ↑
         1 204 bytes in, 2 waiting, 3 lost
            1.507 X200.  was not understood: i…
            1.512 L      sweeps
        """)
  }

  @Test func `The screen fills 80 columns and 24 rows in ASCII`() {
    #expect(
      Self.text(Self.lines(.known, 80, 24, .ascii)) == """
         SentryBench  /tmp/ttySentry                            Ctrl-C or q ends   83 s
         classic - model - 9600 baud - 1 program has it open            * evening.jsonl

                              90                     sweeping up ^
                   60                 *120           commanded 120 deg   1781 us
                        ............. **             shaft     118.6 deg
                      ... .   .    ..**.             tone      silent
            30      ... .          oo  ...    150    received  1 204 bytes
                  ...             oo    ...          commands  301
                 ....            oo      ...         waiting   0 on line, 2 in buffer
                 ..            ooo        ...        lost      3 buffer full
                ..            OOo          ..        answered  0 bytes
          0     ...          OOO          ...    180 delay     0.05 ms, at most 1.24
         -- commands as they are understood -------------------------------------------
            1.501042  X45.      aimed at 45
            1.505209  X9        had no end; the `X` of the next command ended it and
                                was lost
            1.507292  X200.     was not understood: its `X` ended the number before it
                                and was lost
            1.512500  L         sweeps


         -- copy a line into another terminal; widen the terminal for one more --------
         printf X45. > /tmp/ttySentry
        """)
  }

  @Test(arguments: 1...300 as ClosedRange<UInt64>)
  func `No line is too wide and no screen too high, whatever is shown`(_ seed: UInt64) {
    var generator = SeededGenerator(seed: seed)
    let status = LiveStatus.random(using: &generator)
    let columns = Int.random(in: 1...200, using: &generator)
    let rows = Int.random(in: 1...60, using: &generator)
    for glyphs in [GlyphSet.ascii, .unicode] {
      let plain = Self.lines(status, columns, rows, glyphs)
      #expect(plain.count == rows)
      #expect(plain.allSatisfy { $0.unicodeScalars.count <= columns })
      #expect(plain.joined().unicodeScalars.allSatisfy { glyphs.shown($0) == $0 })
      // Colours change nothing else.
      let colours = Self.lines(status, columns, rows, glyphs, inColour: true)
      #expect(colours.map(ScreenDifference.width) == plain.map(\.unicodeScalars.count))
    }
  }

  @Test func `A screen without cells has no lines`() {
    #expect(Self.lines(.known, 0, 0).isEmpty)
    #expect(Self.lines(.known, 0, 3) == ["", "", ""])
    #expect(Self.lines(.known, -1, -1).isEmpty)
  }

  @Test(arguments: stride(from: 1, through: 140, by: 3).map(\.self))
  func `A line to copy is shown whole or left out with a note`(_ columns: Int) {
    var status = LiveStatus.known
    status.hints += ["echo 字"]
    for rows in 1...50 {
      let lines = Self.lines(status, columns, rows)
      for line in lines where line.contains("printf") || line.contains("python3") {
        #expect(status.hints.contains { " \($0)" == line || $0 == line })
      }
      #expect(!lines.contains { $0.contains("echo") })
      if lines.contains(where: { $0.contains("printf") }), columns >= 40 {
        #expect(lines.contains { $0.contains("widen the terminal for") })
      }
    }
  }

  @Test func `All lines to copy are shown if there is room`() {
    let lines = Self.lines(.known, 100, 24)
    for hint in LiveStatus.known.hints { #expect(lines.contains(" " + hint)) }
    #expect(!lines.contains { $0.contains("widen") })
  }

  @Test func `Only losses and a wrong speed are red`() {
    func isRed(_ line: String) -> Bool { line.contains("\u{1B}[0;1;31m") }
    var status = LiveStatus.known
    status.recording = nil
    #expect(Self.lines(status, 80, 24, inColour: true).filter(isRed).count == 1)
    #expect(Self.lines(status, 40, 10, inColour: true).filter(isRed).count == 1)
    status.counts.lost = [.booting: 0]
    #expect(Self.lines(status, 80, 24, inColour: true).filter(isRed).isEmpty)
    #expect(Self.lines(status, 40, 10, inColour: true).filter(isRed).isEmpty)
    status.senderBaud = 115_200
    #expect(Self.lines(status, 80, 24, inColour: true).filter(isRed).count == 1)
  }

  @Test func `A screen without colour has no escape sequences`() {
    #expect(!Self.text(Self.lines(.known, 80, 24)).contains("\u{1B}"))
  }

  @Test(arguments: [(80, 24), (40, 10), (60, 40), (180, 20)])
  func `A moving shaft changes only the gauge and its figure`(_ columns: Int, _ rows: Int) {
    var status = LiveStatus.known
    let before = Self.lines(status, columns, rows)
    status.shaftDegrees = 30
    let after = Self.lines(status, columns, rows)
    let changed = zip(before, after).filter(!=).count
    #expect((1...20).contains(changed))
    #expect(Self.text(after).contains("30.0°"))
    #expect(Self.text(before).replacing("118.6°", with: "30.0°") != Self.text(after))
  }

  @Test(arguments: [(80, 24), (40, 12), (60, 40), (180, 20)])
  func `The last warning is shown, and unknown values are not made up`(
    _ columns: Int, _ rows: Int
  ) {
    var status = LiveStatus(port: "/p", device: "/dev/ttyUSB0", firmware: .classic, baud: 9_600)
    status.notice = "the board was unplugged"
    let text = Self.text(Self.lines(status, columns, rows))
    for words in [
      "the board was unplugged", "mode is unknown", "unknown", "not yet", "no program",
    ] {
      #expect(text.contains(words))
    }
  }
}
