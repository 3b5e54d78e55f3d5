import Testing
import Traces

@testable import Pages

/// The connection of the phone's page, tested without a browser.
@Suite struct PhoneLinkTests {
  /// A page on a clock. What it does and the changes that it shows are words: `connect X90. (open)`.
  private struct Page {
    private(set) var aim = PhoneAim()
    var now = 0.0
    /// What the socket has not sent, in bytes.
    var unsent = 0
    /// In milliseconds.
    private(set) var wait: Double?
    private(set) var hasRoom = false
    private var shown = "(off)"

    init() {
      let header =
        #"{"format": "sentry-observations", "version": 1, "image": [320, 240], "view": [400, 300]}"#
      #expect(aim.answer(Array("camera {}\n\(header)".utf8)).kind == .result)
    }

    mutating func report(_ event: String, _ content: String = "") throws -> String {
      let answer = aim.answer(Array("\(event) \(now) \(unsent)\n\(content)".utf8))
      let text = String(decoding: answer.bytes, as: UTF8.self)
      try #require(answer.kind == .result, "\(event): \(text)")
      let value = try JSONValue.contents(of: answer.bytes, path: "answer")
      wait = Self.number(value["wait"])
      hasRoom = value["room"] == .bool(true)
      var words = Self.list(value["actions"]).map { action in
        Self.list(action).map { Self.text($0) }.last ?? ""
      }
      let status = try #require(value["status"])
      var parts = [Self.text(status["standing"])]
      if status["elsewhere"] == .bool(true) { parts.append("elsewhere") }
      if status["detector"] == .bool(false) { parts.append("without detector") }
      if let why = status["why"], Self.text(why) != "" { parts.append(Self.text(why)) }
      let show = "(\(parts.joined(separator: ": ")))"
      if show != shown { words.append(show) }
      shown = show
      return words.joined(separator: " ")
    }

    /// Reports a picture with a face at the left or right edge.
    mutating func see(_ side: String) throws -> String {
      let box = side == "left" ? "0, 0.4, 0.25, 0.25" : "0.75, 0.4, 0.25, 0.25"
      let face = #"{"kind": "face", "box": [\#(box)], "confidence": 1}"#
      return try report("see", #"{"t": \#(now), "found": [\#(face)]}"#)
    }

    mutating func message(_ code: String) throws -> String {
      try report("message", #"{"notice": "\#(code)", "message": "words"}"#)
    }

    mutating func open() throws {
      #expect(try report("start", "1") == "connect (connecting)")
      #expect(try report("connected") == "(open)")
    }

    /// Waits as long as it is told.
    mutating func pass() throws -> String {
      now += try #require(wait) / 1_000
      return try report("passed")
    }

    private static func list(_ value: JSONValue?) -> [JSONValue] {
      if case .array(let values) = value { values } else { [] }
    }

    private static func text(_ value: JSONValue?) -> String {
      if case .string(let text) = value { text } else { "?" }
    }

    private static func number(_ value: JSONValue?) -> Double? {
      if case .number(let text) = value { Double(text) } else { nil }
    }
  }

  @Test func `It sends what it sees, and after a lost connection the newest command`() throws {
    var page = Page()
    try page.open()
    #expect(page.hasRoom && page.wait == nil)
    #expect(try page.see("left") == "X52.")
    #expect(try page.see("left") == "")
    #expect(try page.report("closed") == "(away)")
    #expect(!page.hasRoom)
    #expect(try page.see("right") == "")
    #expect((125...250).contains(page.wait ?? 0))
    // While it tries again, the page says that the gateway does not answer.
    #expect(try page.pass() == "connect")
    #expect(try page.report("connected") == "X127. (open)")
  }

  @Test func `The pauses grow to five seconds, and those of two phones differ`() throws {
    var waits: [[Double]] = []
    for seed in ["1", "2"] {
      var page = Page()
      _ = try page.report("start", seed)
      waits.append(
        try (0..<8).map { _ in
          _ = try page.report("closed")
          let wait = page.wait
          #expect(try page.pass().hasPrefix("connect"))
          return try #require(wait)
        })
      #expect((2_500...5_000).contains(waits.last?.last ?? 0))
    }
    #expect(waits[0] != waits[1])
  }

  /// What the gateway answers to the question why it closed, what is shown, and whether the page
  /// tries again.
  @Test(
    arguments: [
      ("", "(away)", true), ("401 a token is required", "(refused: a token is required)", false),
      ("403 not here", "(refused: not here)", false), ("404 no detector", "(no-detector)", true),
      ("426 upgrade", "(away)", true), ("503", "(away)", true), ("\u{0} 401", "(away)", true),
    ] as [(String, String, Bool)])
  func `A refused connection says why, and one without a token is not tried again`(
    _ answer: String, _ shown: String, _ triesAgain: Bool
  ) throws {
    var page = Page()
    _ = try page.report("start", "1")
    #expect(try page.report("closed", answer) == shown)
    #expect((page.wait != nil) == triesAgain)
    if triesAgain {
      #expect(try page.pass() == "connect")
      #expect(try page.report("closed", answer) == "")
    } else {
      #expect(try page.report("passed") == "")
      // With another token, say.
      #expect(try page.report("start", "1") == "connect (connecting)")
      #expect(try page.report("closed", answer) == shown)
    }
    #expect(try page.report("stop") == "(off)")
    #expect(page.wait == nil)
  }

  @Test func `A gateway that does not answer is given up`() throws {
    var page = Page()
    _ = try page.report("start", "1")
    #expect(page.wait == 5_000)
    #expect(try page.pass() == "close (away)")
  }

  @Test func `While earlier data is unsent the newest command waits, and L does not`() throws {
    var page = Page()
    try page.open()
    page.unsent = 20_000
    #expect(try page.see("left") + page.see("right") == "")
    #expect(page.wait == 5 && !page.hasRoom)
    page.unsent = 0
    #expect(try page.pass() == "X127.")
    #expect(page.wait == nil && page.hasRoom)
    page.unsent = 20_000
    #expect(try page.report("lose") == "L")
  }

  @Test func `While another client is in control it sends nothing, and then the newest command`()
    throws
  {
    var page = Page()
    try page.open()
    #expect(try page.see("left") == "X52.")
    #expect(
      try page.report("message", #"{"error": "not-in-control"}"#) == "(open: elsewhere)")
    #expect(!page.hasRoom)
    #expect(try page.see("right") == "")
    #expect(try page.message("control-gained") == "X127. (open)")
    #expect(page.hasRoom)
    // Taking control is a new connection, on which the turret is told again.
    #expect(try page.report("stop") == "close (off)")
    #expect(try page.report("start", "1") == "connect (connecting)")
    #expect(try page.report("connected") == "(open)")
    #expect(try page.see("right") == "X127.")
  }

  @Test func `It says what keeps the turret from following until that is over`() throws {
    var page = Page()
    try page.open()
    #expect(try page.message("detector-away") == "(open: without detector)")
    #expect(try page.message("late") == "")
    #expect(try page.message("detector-ready") == "(open)")
    #expect(
      try page.message("no-board") == "(open: The board is not connected to the gateway.)")
    #expect(try page.message("leaving") == "(open: The gateway is stopping.)")
    #expect(try page.report("closed") == "(away)")
    #expect(try page.pass() == "connect")
    #expect(try page.report("connected") == "(open)")
    #expect(try page.message("no-board").hasPrefix("(open: "))
    #expect(try page.message("control-gained") == "(open)")
  }

  @Test func `A page that is left sends L and closes, and aims again when it is back`() throws {
    var page = Page()
    try page.open()
    #expect(try page.see("left") == "X52.")
    #expect(try page.report("lose") == "L")
    #expect(try page.report("sleep") == "close (off)")
    #expect(try page.report("passed") == "" && page.wait == nil)
    #expect(try page.report("wake") == "connect (connecting)")
    #expect(try page.report("connected") == "(open)")
    #expect(try page.see("left") == "X52.")
    #expect(try page.report("wake") == "")
  }

  @Test func `Without a picture the turret gets an L, once on each connection`() throws {
    var page = Page()
    #expect(try page.report("lose") == "")
    #expect(try page.report("start", "1") == "connect (connecting)")
    #expect(try page.report("lose") + page.report("lose") == "")
    #expect(try page.report("connected") == "L (open)")
    #expect(try page.report("lose") == "")
    #expect(try page.report("closed") == "(away)")
    #expect(try page.pass() == "connect")
    #expect(try page.report("connected") == "L (open)")
  }

  @Test(arguments: ["message", "closed", "start", "connected", "passed", "sleep", "wake", "stop"])
  func `An event that makes no sense does not trap`(_ event: String) throws {
    for content in ["", "{", "\u{0}", #"{"notice": 1}"#, "-1", "404", "1e99", "404\nx"] {
      var page = Page()
      for _ in 0..<2 {
        _ = try page.report(event, content)
        _ = try page.report("start", content)
        _ = try page.report(event, content)
        page.now = -1e300
      }
    }
  }
}
