import Sketches
import TestSupport
import Testing

struct CommandRecognizerTests {
  static func profile(_ texts: [String]) throws -> Profile {
    Profile(name: "test", commands: try texts.map { try CommandForm($0) })
  }

  /// A word for each command, refusal and piece that is neither, in order.
  static func words(_ bytes: [UInt8], _ profile: Profile) -> [String] {
    var recognizer = CommandRecognizer(profile)
    var words: [String] = []
    func text() -> String { String(decoding: recognizer.bytes, as: UTF8.self) }
    for byte in bytes {
      if recognizer.breaksOff(byte) { words.append("broken:\(text())") }
      switch recognizer.take(byte) {
      case .open, .space: break
      case .command(let form): words.append("\(form):\(text())")
      case .refused(.noDigits(let field)): words.append("empty \(field.name):\(text())")
      case .refused(.tooManyDigits(let field)): words.append("long \(field.name):\(text())")
      case .refused(.outOfRange(let field)): words.append("range \(field.name):\(text())")
      case .refused(.wrongChecksum(let value)): words.append("sum \(value):\(text())")
      case .unknown: words.append("unknown")
      }
    }
    if recognizer.isOpen { words.append("open:\(text())") }
    return words
  }

  @Test(
    arguments: [
      ("P90,45\n", ["0:P90,45\n"]), ("F", ["1:F"]),
      ("P0,180\nFP007,1\n", ["0:P0,180\n", "1:F", "0:P007,1\n"]),
      ("P181,0\n", ["range pan:P181,0\n"]), ("P1,999\n", ["range tilt:P1,999\n"]),
      ("P-1,0\n", ["range pan:P-1,0\n"]), ("P,\n", ["empty pan:P,\n"]),
      ("P1,\n", ["empty tilt:P1,\n"]), ("P0090,1\n", ["long pan:P0090,1\n"]),
      ("P90F", ["broken:P90", "1:F"]), ("P9P8,7\n", ["broken:P9", "0:P8,7\n"]),
      (" \r\n\tF", ["1:F"]), ("zF", ["unknown", "1:F"]), ("P90,4", ["open:P90,4"]),
      ("T-90;", ["2:T-90;"]), ("T--1;", ["broken:T-", "unknown", "unknown", "unknown"]),
      ("T90;T91;", ["2:T90;", "range tilt:T91;"]), ("", []),
    ] as [(String, [String])])
  func `Commands, refusals and everything else are told apart`(
    text: String, words: [String]
  ) throws {
    let profile = try Self.profile(["P{pan:0..180},{tilt:0..180}\n", "F", "T{tilt:-90..90};"])
    #expect(Self.words(Array(text.utf8), profile) == words)
  }

  @Test(
    arguments: [
      (
        "{pan:0..180},{tilt:0..180}\n", "z90,45\n\n-5,1\n",
        ["unknown", "0:90,45\n", "range pan:-5,1\n"]
      ),
      (
        "a{pan:3}{fire:1}", "a0901a18a9990a000a",
        ["0:a0901", "broken:a18", "0:a9990", "broken:a000", "open:a"]
      ),
      (
        "T{t:4 -90..90};", "T-090;T0091;T-91;T--90",
        [
          "0:T-090;", "range t:T0091;", "broken:T-91", "unknown", "broken:T-", "unknown", "unknown",
          "unknown",
        ]
      ),
      (
        "P{a:0.0..180.0}\n", "P90\nP90.5\nP180.1\nP9.55\nP.5\nP0180.0\n",
        [
          "0:P90\n", "0:P90.5\n", "range a:P180.1\n", "long a:P9.55\n", "broken:P", "unknown",
          "unknown", "long a:P0180.0\n",
        ]
      ),
      ("P{a:0..9}{\\r?}\n", "P1\r\nP2\nP3\rP", ["0:P1\r\n", "0:P2\n", "broken:P3\r", "open:P"]),
      ("{P|p}{a:0..9};", "P1;p2;q3;", ["0:P1;", "0:p2;", "unknown", "unknown", "unknown"]),
      (
        "A{a:u16be 0..300}", "A\u{1}\u{2C}A\u{1}\u{2D}", ["0:A\u{1}\u{2C}", "range a:A\u{1}\u{2D}"]
      ),
      ("A{a:byte}{sum}", "A\u{1}BA\u{1}C", ["0:A\u{1}B", "sum 66:A\u{1}C"]),
      (
        "$A{a:0..9}*{xor hex 2..-2}\n", "$A1*70\n$A1*71\n$A1*7G",
        ["0:$A1*70\n", "sum 112:$A1*71\n", "broken:$A1*7", "unknown"]
      ),
    ] as [(String, String, [String])])
  func `Numbers of each kind are told apart`(form: String, text: String, words: [String]) throws {
    let bytes = text.unicodeScalars.map { UInt8($0.value) }
    #expect(Self.words(bytes, try Self.profile([form])) == words)
  }

  @Test func `A pause ends a command that needs nothing more`() throws {
    var recognizer = CommandRecognizer(
      try Self.profile(["P{a:0..180}{pause}", "F{pause 20ms}", "FIRE\n"]))
    func take(_ text: String) { for byte in text.utf8 { _ = recognizer.take(byte) } }
    take("P")
    #expect(recognizer.takePause() == .refused(.noDigits(CommandField("a", 0...180))))
    take("P90")
    #expect(recognizer.pause == .seconds(1))
    #expect(recognizer.takePause() == .command(0))
    #expect(recognizer.takePause() == nil)
    take("P181")
    #expect(recognizer.takePause() == .refused(.outOfRange(CommandField("a", 0...180))))
    take("F")
    #expect(recognizer.pause == .milliseconds(20))
    take("I")
    #expect(recognizer.takePause() == nil)
    #expect(recognizer.isOpen)
    take("RE")
    #expect(recognizer.take(0x0A) == .command(2))
    #expect(recognizer.breaksOff(0x50) == false)
  }

  @Test func `Commands that begin alike are told apart at the first byte that differs`() throws {
    let profile = try Self.profile(["P{a:0..9}.", "P{a:0..9},{b:0..9}.", "PX"])
    #expect(
      Self.words(Array("P5.P5,6.PXP55.".utf8), profile) == [
        "0:P5.", "1:P5,6.", "2:PX", "long a:P55.",
      ])
  }

  @Test func `A number of one byte can be any byte`() throws {
    let profile = try Self.profile(["\\x84{servo:byte 0..5}{to:byte}"])
    var recognizer = CommandRecognizer(profile)
    let meanings = [0x84, 5, 0x84, 0x84, 6, 0].map { recognizer.take($0) }
    #expect(meanings[0...3] == [.open, .open, .command(0), .open])
    #expect(meanings[4...] == [.open, .refused(.outOfRange(CommandField("servo", 0...5)))])
  }

  @Test func `A number without an end needs no more memory`() throws {
    let profile = try Self.profile(["P{pan:0..180}\n"])
    var recognizer = CommandRecognizer(profile)
    _ = recognizer.take(UInt8(ascii: "P"))
    for _ in 0..<10_000 { #expect(recognizer.take(UInt8(ascii: "9")) == .open) }
    #expect(recognizer.bytes.count == CommandRecognizer.bytesMax)
    #expect(recognizer.count == 10_001)
    #expect(
      recognizer.take(UInt8(ascii: "\n")) == .refused(.tooManyDigits(CommandField("pan", 0...180))))
  }

  @Test(arguments: 0..<40)
  func `Every command that a form can have is found alone and in a row`(seed: UInt64) throws {
    var random = SeededGenerator(seed: seed)
    let profile = try Self.profile([
      "P{pan:0..180},{tilt:-90..90}\n", "P{pan:0..180};", "F", "\\x84{a:byte 0..5}{b:byte}",
      "mode {m:10..12}.", "{x:-9..99}/{y:0.00..9.99}{\\r?}\n", "a{p:3}{t:4 -90..90}{f:1}",
      "\\x90{w:u16le 500..2500}{v:i16be}{xor 2..}", "$S{s:0..180}*{xor hex 2..-2}\n",
      "{Q|q}{q:i8}{sum}",
    ])
    var stream: [UInt8] = []
    var expected: [Int] = []
    for _ in 0..<50 {
      let form = Int.random(in: profile.commands.indices, using: &random)
      let bytes = profile.commands[form].bytes(
        profile.commands[form].fields.map { Int32.random(in: $0.range, using: &random) })
      #expect(profile.form(of: bytes) == form, "seed \(seed)")
      #expect(profile.form(of: bytes.dropLast()) == nil, "seed \(seed)")
      #expect(profile.form(of: bytes + [0]) == nil, "seed \(seed)")
      stream += bytes
      expected.append(form)
    }
    var recognizer = CommandRecognizer(profile)
    let found = stream.compactMap { byte -> Int? in
      if case .command(let form) = recognizer.take(byte) { form } else { nil }
    }
    #expect(found == expected, "seed \(seed)")
  }

  @Test(arguments: 0..<20)
  func `Random bytes and random forms never trap, and no byte is counted twice`(seed: UInt64) {
    var random = SeededGenerator(seed: seed)
    let letters = Array("PpF0159-.,;\n\r {}:\\xA\u{84}\u{FF}\u{0}".unicodeScalars)
    func text(_ count: Int) -> String {
      var view = String.UnicodeScalarView()
      for _ in 0..<count { view.append(letters.randomElement(using: &random)!) }
      return String(view)
    }
    for _ in 0..<200 {
      var forms: [CommandForm] = []
      for _ in 0..<Int.random(in: 1...4, using: &random) {
        let pieces = [
          "", "{a:0..9}", "{a:-5..300}", "{b:byte 3..9}", "{c:3}", "{c:2 -9..9}", "{d:u16le}",
          "{sum}",
          "{xor hex 2..}", "{\\r?}", "{P|p}", "{e:-1.5..9.5}", "{f:i8}", "{complement 2..-3}",
        ]
        let fields = pieces.randomElement(using: &random)! + pieces.randomElement(using: &random)!
        let end = ["", text(2), "{pause}", "{pause 5ms}"].randomElement(using: &random)!
        let begin = text(Int.random(in: 0...2, using: &random))
        guard let form = try? CommandForm(begin + fields + end) else { continue }
        if form.problem == nil { forms.append(form) }
      }
      let isClear = CommandForm.overlap(in: forms) == nil
      var recognizer = CommandRecognizer(Profile(name: "", commands: forms))
      var (taken, ended) = (0, 0)
      for _ in 0..<200 {
        let byte = UInt8(letters.randomElement(using: &random)!.value)
        if Int.random(in: 0..<8, using: &random) == 0 {
          let count = recognizer.count
          let isAwaited = recognizer.pause != nil
          #expect((recognizer.takePause() != nil) == isAwaited, "seed \(seed)")
          if !recognizer.isOpen, taken > ended { ended += count }
        }
        if recognizer.breaksOff(byte) { ended += recognizer.count }
        switch recognizer.take(byte) {
        case .open: break
        case .command, .refused: ended += recognizer.count
        case .space, .unknown: ended += 1
        }
        taken += 1
        #expect(ended + (recognizer.isOpen ? recognizer.count : 0) == taken, "seed \(seed)")
      }
      if isClear {
        for form in forms.indices {
          let values = forms[form].fields.map { $0.range.contains(5) ? 5 : $0.range.lowerBound }
          let bytes = forms[form].bytes(values)
          #expect(recognizerFinds(form, bytes, forms), "seed \(seed): \(forms)")
        }
      }
    }
  }

  private func recognizerFinds(_ form: Int, _ bytes: [UInt8], _ forms: [CommandForm]) -> Bool {
    Profile(name: "", commands: forms).form(of: bytes) == form
  }
}
