import Sketches
import Testing
import Traces

@testable import Judging
@testable import Pictures

struct SessionPictureTests {
  private func entry(_ byte: UInt8, at milliseconds: Int64, _ fate: Fate) -> Ledger.Entry {
    Ledger.Entry(byte: byte, arrived: .zero + .milliseconds(milliseconds), fate: fate)
  }

  private func session(_ title: String? = "a session") -> PlottedSession {
    PlottedSession(title: title, subtitle: "classic", end: .zero + .seconds(3))
  }

  @Test func `Each servo has a line of its own and a place in the legend`() {
    var session = session()
    session.commanded = [.init(.zero, 90)]
    session.others = ["D10", "A0"].compactMap(BoardPin.init(name:)).map {
      PlottedServo(
        $0, commanded: [.init(.zero, 45)], shaft: [.init(.zero, 90), .init(session.end, 45)])
    }
    session.undrawnServoCount = 2
    let svg = SessionPicture.svg(of: session)
    for text in [
      "class=\"another servo-1\"", "class=\"turning servo-2\"", ">D10</text>", ">A0</text>",
      "1 commanded angle on D10; 1 commanded angle on A0; 2 more servos not drawn",
    ] { #expect(svg.contains(text), "\(text)") }
    #expect(!SessionPicture.svg(of: self.session()).contains("class=\"another"))
    // Only next to others does the session's own servo need a name.
    #expect(svg.contains(">first servo commanded</text>"))
    session.others = []
    #expect(SessionPicture.svg(of: session).contains(">commanded</text>"))
  }

  @Test(arguments: [
    // The profile's only servo without events of its own, one of two, and none.
    (#"{"pan": "D9", "tilt": "D10"}"#, "pan D9"),
    (#"{"pan": "D9", "tilt": "D10", "claw": "D3"}"#, "first servo"),
    (#"{"tilt": "D10"}"#, "first servo"),
  ])
  func `The session's own servo has a name in the legend if it is known`(
    _ servos: String, _ label: String
  ) throws {
    let text = """
      {"format": "sentry-trace", "version": 1, "firmware": "pan-tilt", "profile": \
      {"commands": ["P{pan:0..180},{tilt:0..180}\\n"], "servos": \(servos)}, "duration": 1}
      [0.5, "servo", 90, 1472]
      [0.5, "servo", 45, 1008, "D10"]

      """
    var reader = try TraceReader(text: Array(text.utf8), path: "a.jsonl")
    let session = try PlottedSession.recorded(&reader)
    #expect(session.ownLabel == label)
    #expect(SessionPicture.svg(of: session).contains(">\(label) commanded</text>"))
  }

  @Test func `A hexapod's servos all have a line, and dashes where the colours are used up`() {
    var session = session()
    session.commanded = [.init(.zero, 90)]
    session.others = (2...18).compactMap { BoardPin(arduino: $0) }.map {
      PlottedServo($0, commanded: [.init(.zero, Double($0.arduino ?? 0) * 9)])
    }
    let svg = SessionPicture.svg(of: session)
    for servo in session.others { #expect(svg.contains(">\(servo.label)</text>")) }
    for text in ["\"another servo-1\"", "\"another servo-4 dash-3\"", ".dash-3 { stroke"] {
      #expect(svg.contains(text), "\(text)")
    }
    // Each line is in the panel and in the legend.
    #expect(svg.split(separator: "class=\"another servo-2 dash-1\"").count == 3)
    #expect(!svg.contains("not drawn"))
    // The legend has rows of its own, which move what is below them.
    let few = SessionPicture.svg(of: self.session())
    #expect(svg.contains("viewBox=\"0 0 1000 554\""))
    #expect(few.contains("viewBox=\"0 0 1000 520\""))
    #expect(!few.contains("dash-"))
  }

  @Test func `The legend says how many servos are not drawn`() {
    var session = session()
    session.commanded = [.init(.zero, 90)]
    session.undrawnServoCount = 6
    #expect(SessionPicture.svg(of: session).contains(">+6 servos not drawn</text>"))
    session.undrawnServoCount = 0
    #expect(!SessionPicture.svg(of: session).contains("not drawn"))
  }

  @Test func `A servo has the name that the trace's profile gives its pin`() throws {
    let text = """
      {"format": "sentry-trace", "version": 1, "firmware": "pan-tilt", "profile": \
      {"commands": ["P{pan:0..180},{tilt:0..180}\\n"], "servos": {"tilt": "D10"}}, "duration": 1}
      [0.5, "servo", 90, 1472]
      [0.5, "servo", 45, 1008, "D10"]
      [0.5, "servo", 45, 1008, "D11"]

      """
    var reader = try TraceReader(text: Array(text.utf8), path: "a.jsonl")
    let session = try PlottedSession.recorded(&reader)
    #expect(session.others.map(\.label) == ["tilt D10", "D11"])
    let svg = SessionPicture.svg(of: session)
    for text in [">tilt D10</text>", ">D11</text>", "1 commanded angle on tilt D10;"] {
      #expect(svg.contains(text), "\(text)")
    }
    // A mistake in the profile does not prevent the picture.
    for (broken, labels) in [
      (text.replacing("180}\\n", with: "180\\n"), ["tilt D10", "D11"]),
      (text.replacing("\"D10\"}", with: "10}"), ["D10", "D11"]),
      (text.replacing("\"tilt\"", with: "\"<b>\""), ["D10", "D11"]),
      (text.replacing("{\"tilt\": \"D10\"}", with: "[]"), ["D10", "D11"]),
    ] {
      #expect(broken != text)
      var other = try TraceReader(text: Array(broken.utf8), path: "a.jsonl")
      #expect(try PlottedSession.recorded(&other).others.map(\.label) == labels)
    }
  }

  /// A session with every kind of item that a picture can show.
  private func crowded() -> PlottedSession {
    var session = session(String(repeating: "W<&> ", count: 60))
    session.subtitle = String(repeating: "long ", count: 80)
    session.commanded = [.init(.zero, 90), .init(.zero + .seconds(1), 180)]
    session.expected = [.init(.zero, 90), .init(.zero + .seconds(1), 0)]
    session.pulses = [.init(.zero + .milliseconds(20), 1_472)]
    session.shaft = [.init(.zero, 90), .init(session.end, 91)]
    session.modes = ModeBand.allCases.enumerated().map { index, mode in
      let start = Instant.zero + .milliseconds(Int64(index) * 400)
      return .init(start, start + .milliseconds(400), mode)
    }
    session.tones = [.init(.zero + .milliseconds(2_990), session.end, hertz: 900)]
    session.resets = [.zero + .milliseconds(2_990)]
    session.bytes = (0..<400).map {
      entry(UInt8(truncatingIfNeeded: $0), at: $0 * 8, Fate.allCases[Int($0) / 7 % 13])
    }
    let event = Event(.zero + .milliseconds(2_900), .output(.servo(degrees: 1, microseconds: 554)))
    session.divergence = Divergence(
      .missing, expected: Expectation(event, line: 7), found: nil, line: 7,
      tolerance: .microseconds(200))
    return session
  }

  @Test(arguments: [
    "plain", "", "a < b & c > \"d\" 'e'", "]]><script>x</script>", "\u{0}\u{1B}[31m\u{7F}\u{85}",
    "\u{202E}backwards\u{2066}", "a\r\nb\tc", "🎯 Ziel\u{FFFE}\u{FFFF}",
  ])
  func `A hostile title leaves the picture well-formed`(_ title: String) throws {
    let parsed = try #require(Wellformedness(SessionPicture.svg(of: session(title))))
    #expect(parsed.elements["script"] == nil)
    #expect(!parsed.title.isEmpty)
    #expect(parsed.references.isEmpty)
  }

  @Test func `Every byte value leaves the picture well-formed`() throws {
    var session = session()
    session.bytes = (0...255).map { entry($0, at: Int64($0) * 11, .junk) }
    #expect(Wellformedness(SessionPicture.svg(of: session)) != nil)
  }

  @Test(arguments: Fate.allCases)
  func `Each fate has its class, its colour and its words`(_ fate: Fate) throws {
    var session = session()
    session.bytes = [entry(0x58, at: 1_500, fate)]
    let svg = SessionPicture.svg(of: session)
    let parsed = try #require(Wellformedness(svg))
    #expect(parsed.classes.contains(fate.styleClass))
    // Once for light and once for dark.
    #expect(svg.split(separator: ".\(fate.styleClass) {").count == 3)
    #expect(parsed.texts.contains { $0.content == fate.caption })
    #expect(parsed.texts.contains { $0.content == "X" })
  }

  @Test func `Only taken bytes have no marker, and losses have markers of their own`() {
    for fate in Fate.allCases { #expect((fate.marker == .none) == fate.isTaken) }
    let lost = Set(Fate.allCases.filter(\.isLost).map(\.marker))
    let others = Set(Fate.allCases.filter { !$0.isLost }.map(\.marker))
    #expect(lost.isDisjoint(with: others))
  }

  @Test func `Every text is within the picture`() throws {
    let parsed = try #require(Wellformedness(SessionPicture.svg(of: crowded())))
    #expect(parsed.texts.count > 30)
    for text in parsed.texts {
      let style = try #require(text.styles.compactMap(TextStyle.init).first)
      let width = style.width(text.content)
      let start =
        switch text.anchor {
        case "end": text.x - width
        case "middle": text.x - width / 2
        default: text.x
        }
      #expect(start >= 0 && start + width <= Layout.width, "\(text)")
      let height = Layout(from: .zero, to: .zero, titleLines: Layout.titleLinesMax).height
      #expect(text.y - style.size >= 0 && text.y + style.size / 3 <= height, "\(text)")
    }
  }

  @Test func `Words under the bytes do not overlap`() throws {
    let parsed = try #require(Wellformedness(SessionPicture.svg(of: crowded())))
    for style in [TextStyle.byte, .callout] {
      let texts = parsed.texts.filter { $0.styles.contains(style.rawValue) }
      #expect(!texts.isEmpty)
      for line in Dictionary(grouping: texts, by: \.y).values {
        let inOrder = line.sorted { $0.x < $1.x }
        for (a, b) in zip(inOrder, inOrder.dropFirst()) {
          #expect(a.x + style.width(a.content) <= b.x, "\(a.content) \(b.content)")
        }
      }
    }
  }

  @Test func `Equal sessions give equal text`() {
    #expect(SessionPicture.svg(of: crowded()) == SessionPicture.svg(of: crowded()))
  }

  @Test func `A session without outputs or length can be drawn`() throws {
    let empty = PlottedSession(title: nil, subtitle: "", end: .zero)
    let parsed = try #require(Wellformedness(SessionPicture.svg(of: empty)))
    #expect(parsed.texts.contains { $0.content == "no output" })
    #expect(parsed.texts.contains { $0.content == "no bytes" })
  }

  @Test func `A divergence is shown as a line and words`() throws {
    let parsed = try #require(Wellformedness(SessionPicture.svg(of: crowded())))
    #expect(parsed.classes.isSuperset(of: ["divergence", "card", "expected"]))
    #expect(parsed.texts.contains { $0.content == "first divergence, trace line 7" })
  }

  @Test func `Expected values are shown only where they look different`() {
    var session = session()
    session.commanded = [.init(.zero + .milliseconds(100), 90)]
    session.expected = [.init(.zero + .microseconds(100_100), 90)]
    #expect(!session.showsExpected)
    session.expected[0].value = 91
    #expect(session.showsExpected)
    session.expected = []
    #expect(!session.showsExpected)
  }

  @Test(arguments: [
    ("short", 1), (String(repeating: "word ", count: 20), 2),
    (String(repeating: "a", count: 100), 2),
    (String(repeating: "word ", count: 300), 3), (String(repeating: "字", count: 500), 3),
  ])
  func `A long title is wrapped, and moves everything else down`(_ title: String, _ lines: Int)
    throws
  {
    let parsed = try #require(Wellformedness(SessionPicture.svg(of: session(title))))
    let found = parsed.texts.filter { $0.styles.contains(TextStyle.title.rawValue) }
    #expect(found.count == lines)
    for line in found { #expect(TextStyle.title.width(line.content) <= Layout.titleWidth) }
    let subtitle = try #require(parsed.texts.first { $0.content == "classic" })
    #expect(found.allSatisfy { $0.y < subtitle.y })
    let isWhole = title.count < 200
    let shown = found.map(\.content).joined().filter { $0 != " " }
    #expect((shown == title.filter { $0 != " " }) == isWhole)
    #expect(found.last?.content.hasSuffix("…") == !isWhole)
  }

  /// A session with commands of four bytes each, one every `period`, from 0.5 s on.
  private func commands(_ count: Int, every period: Interval, end: Instant) -> PlottedSession {
    var session = PlottedSession(title: nil, subtitle: "", end: end)
    var time = Instant.zero + .milliseconds(500)
    for _ in 0..<count {
      let bytes: [(UInt8, Fate)] = [
        (0x58, .letter), (0x34, .digit), (0x35, .digit), (0x2E, .terminator),
      ]
      for (index, (byte, fate)) in bytes.enumerated() {
        let arrived = time + .milliseconds(Int64(index))
        session.bytes.append(Ledger.Entry(byte: byte, arrived: arrived, fate: fate))
      }
      session.modes.append(.init(time, time + .milliseconds(3), .readingNumber))
      session.modes.append(.init(time + .milliseconds(3), time + period, .idle))
      time += period
    }
    return session
  }

  @Test func `A crowd of commands is drawn as their number`() throws {
    let session = commands(8_000, every: .milliseconds(5), end: .zero + .seconds(45))
    let parsed = try #require(Wellformedness(SessionPicture.svg(of: session)))
    #expect(parsed.texts.contains { $0.content == "8 000 commands" })
    #expect(parsed.texts.contains { $0.content == "8 000 commands (X45.…X45.)" })
    #expect(parsed.classes.contains("crowd"))
    #expect(!parsed.classes.contains("m-number"))
    #expect(!parsed.texts.contains { $0.content == "reading a number" })
  }

  @Test func `Commands with room between them are drawn one by one`() throws {
    let session = commands(8, every: .milliseconds(300), end: .zero + .seconds(3))
    let parsed = try #require(Wellformedness(SessionPicture.svg(of: session)))
    #expect(!parsed.classes.contains("crowd"))
    #expect(parsed.classes.contains("m-number"))
  }

  @Test func `A number that the sketch never finishes is not hidden by the crowd before it`() throws
  {
    var session = commands(1_000, every: .milliseconds(5), end: .zero + .seconds(10))
    session.modes.append(
      .init(.zero + .milliseconds(5_500), .zero + .seconds(9), .readingNumber))
    let parsed = try #require(Wellformedness(SessionPicture.svg(of: session)))
    #expect(parsed.texts.contains { $0.content == "1 000 commands" })
    #expect(parsed.texts.contains { $0.content == "reading a number" })
  }

  @Test func `A sweep between two crowds divides them`() throws {
    var session = commands(1_000, every: .milliseconds(5), end: .zero + .seconds(6))
    session.modes = [.init(.zero + .seconds(2), .zero + .seconds(3), .scanningUp)]
    let parsed = try #require(Wellformedness(SessionPicture.svg(of: session)))
    #expect(parsed.texts.contains { $0.content == "300 commands" })
    #expect(parsed.texts.contains { $0.content == "499 commands" || $0.content == "500 commands" })
    #expect(parsed.texts.contains { $0.content == "sweeping ↑" })
  }

  @Test func `The legend names only what can be seen`() throws {
    var session = PlottedSession(title: nil, subtitle: "", end: .zero + .seconds(3))
    session.modes = [
      .init(.zero, .zero + .microseconds(200), .startingUp),
      .init(.zero + .microseconds(200), session.end, .idle),
    ]
    session.commanded = [.init(.zero, 90)]
    session.pulses = (0..<150).map { .init(.zero + .milliseconds($0 * 20), 1_472) }
    session.bytes = [entry(0x58, at: 1_500, .letter), entry(0x5A, at: 3_001, .junk)]
    func texts(_ session: PlottedSession) throws -> [String] {
      try #require(Wellformedness(SessionPicture.svg(of: session))).texts.map(\.content)
    }
    #expect(Set(try texts(session)).isSuperset(of: ["commanded", "pulses", "taken"]))
    for absent in ["starting up", "junk", "expected", "shaft"] {
      #expect(!(try texts(session)).contains(absent))
    }
    // Pulses this close together are hidden by the line of the commanded angle.
    session.end = .zero + .seconds(60)
    session.pulses = (0..<3_000).map { .init(.zero + .milliseconds($0 * 20), 1_472) }
    #expect(!(try texts(session)).contains("pulses"))
    session.commanded = []
    #expect(try texts(session).contains("pulses"))
    #expect(!(try texts(session)).contains("commanded"))
  }

  @Test func `A divergence outside the picture is mentioned at its side`() throws {
    var session = crowded()
    session.title = "cut"
    session.start = .zero + .seconds(1)
    session.end = .zero + .seconds(2)
    session.isWhole = false
    func texts() throws -> [String] {
      try #require(Wellformedness(SessionPicture.svg(of: session))).texts.map(\.content)
    }
    #expect(try texts().contains("first divergence at 2.9 s →"))
    session.divergence?.expected?.event.time = .zero + .milliseconds(500)
    #expect(try texts().contains("← first divergence at 0.5 s"))
    session.divergence?.expected?.event.time = .zero + .milliseconds(1_500)
    #expect(try texts().contains("first divergence, trace line 7"))
  }

  @Test func `The picture suits light and dark themes and refers to nothing outside`() throws {
    let svg = SessionPicture.svg(of: crowded())
    #expect(svg.contains("@media (prefers-color-scheme: dark)"))
    #expect(!svg.contains("@import"))
    // The namespace is the only address.
    #expect(svg.split(separator: "://").count == 2)
  }
}
