import Sketches
import TestSupport
import Testing
import Traces

/// Makes random traces, the same in each run.
private struct TraceMaker {
  var generator: SeededGenerator

  mutating func bytes(_ counts: ClosedRange<Int>) -> [UInt8] {
    (0..<Int.random(in: counts, using: &generator)).map { _ in
      UInt8.random(in: .min ... .max, using: &generator)
    }
  }

  mutating func text() -> String {
    let scalars: [Unicode.Scalar] = [
      "a", "\"", "\\", "\n", "\u{0}", "\u{7F}", "ü", "塔", "🎯", "‸", "/",
    ]
    var text = String.UnicodeScalarView()
    for _ in 0..<Int.random(in: 0...6, using: &generator) {
      text.append(scalars.randomElement(using: &generator)!)
    }
    return String(text)
  }

  mutating func value(depth: Int) -> JSONValue {
    switch Int.random(in: 0...(depth < 4 ? 6 : 4), using: &generator) {
    case 0: return .null
    case 1: return .bool(Bool.random(using: &generator))
    case 2: return .number("\(Int.random(in: -1_000...1_000, using: &generator))")
    case 3: return .number("0.\(Int.random(in: 1...9, using: &generator))")
    case 4: return .string(text())
    case 5:
      return .array(
        (0..<Int.random(in: 0...3, using: &generator)).map { _ in value(depth: depth + 1) })
    default:
      return .object(
        (0..<Int.random(in: 0...3, using: &generator)).map {
          .init("k\($0)", value(depth: depth + 1))
        })
    }
  }

  mutating func otherServo() -> BoardPin? {
    Bool.random(using: &generator) ? BoardPin(arduino: .random(in: 0..<20, using: &generator)) : nil
  }

  mutating func extra() -> Event.Kind {
    let line = Event.Line.allCases.randomElement(using: &generator)!
    let length = Interval.nanoseconds(Int64.random(in: 0..<1_000_000_000_000, using: &generator))
    switch Event.Extra.allCases.randomElement(using: &generator)! {
    case .refused:
      let why = RefusedMessage.Why.allCases.randomElement(using: &generator)!
      return .refused(RefusedMessage(bytes(0...9), why: why))
    case .unsent: return .unsent(bytes(0...9))
    case .framingError: return .framingError(on: line, .random(in: 0...255, using: &generator))
    case .lineBreak: return .lineBreak(lasting: length, on: line)
    case .gap: return .gap(lasting: length, on: line)
    case .shaft: return .shaft(.random(in: 0...180, using: &generator), on: otherServo())
    case .truth:
      return .truth(
        Bool.random(using: &generator) ? .random(in: 0...180, using: &generator) : nil,
        on: otherServo())
    case .supply:
      return .supply(
        volts: .random(in: 0...12, using: &generator),
        amperes: .random(in: 0...9, using: &generator))
    case .twitch:
      return .twitch(
        Twitch(
          on: BoardPin(arduino: Int.random(in: 0..<20, using: &generator))!,
          stored: .random(in: 0...65_535, using: &generator),
          measured: .random(in: 0...1_000_000, using: &generator),
          why: Bool.random(using: &generator) ? text() : nil))
    case .why: return .run(.why(text()))
    case .longest:
      return .run(
        .longest(RunNote.Span.allCases.randomElement(using: &generator)!, length, text()))
    case .memory:
      return .run(.memory(RunNote.MemoryFault.allCases.randomElement(using: &generator)!, text()))
    case .missed: return .missed(.random(in: 0...1_000_000, using: &generator))
    case .fault:
      return .fault(
        FaultStrike(
          FaultStrike.Kind.allCases.randomElement(using: &generator)!,
          at: FaultStrike.Place.allCases.randomElement(using: &generator)!, took: bytes(0...3),
          gave: bytes(0...3)))
    }
  }

  mutating func kind() -> Event.Kind {
    switch Int.random(in: 0...13, using: &generator) {
    case 12...13: return extra()
    case 10:
      return .format(
        LineFormat(
          dataSize: .random(in: LineFormat.dataSizes, using: &generator),
          parity: LineFormat.Parity.allCases.randomElement(using: &generator)!,
          stopSize: LineFormat.StopSize.allCases.randomElement(using: &generator)!))
    case 11:
      return .senderBreak(.nanoseconds(Int64.random(in: 0...3_000_000_000, using: &generator)))
    case 9:
      let pin = BoardPin(arduino: Int.random(in: 0..<20, using: &generator))!
      if Bool.random(using: &generator) {
        let names = ["hc-sr04@D7:D8", "pca9685@0x40", "a@A0", "x-2@0x7"]
        return .input(
          .part(
            BoardPart(names.randomElement(using: &generator)!)!,
            millionths: .random(in: 0...BoardInput.partMax, using: &generator)))
      }
      return Bool.random(using: &generator)
        ? .input(.level(pin, Bool.random(using: &generator)))
        : .input(
          .voltage(pin, microvolts: Int32.random(in: BoardInput.voltages, using: &generator)))
    case 0: return .receive(bytes(0...9))
    case 1: return .baud(Int.random(in: SerialLine.bauds, using: &generator))
    case 2: return .reset(.nanoseconds(Int64.random(in: 0...3_000_000_000, using: &generator)))
    case 3...7:
      let kind = Output.Kind.allCases.randomElement(using: &generator)!
      return .output(.random(kind, using: &generator))
    default:
      if Bool.random(using: &generator) { return .mark(text()) }
      var other: [UInt8] = []
      other.appendQuoted("x-\(text())")
      for _ in 0..<Int.random(in: 0...2, using: &generator) {
        other.append(", ")
        value(depth: 0).append(to: &other)
      }
      return .other(String(decoding: other, as: UTF8.self))
    }
  }

  mutating func events() -> [Event] {
    var time = Instant.zero
    return (0..<40).map { _ in
      time += .nanoseconds(Int64.random(in: 0...2_000_000_000, using: &generator))
      return Event(time, kind())
    }
  }
}

@Suite("Random traces")
struct RandomTraceTests {
  @Test(arguments: 1...60)
  func `Written events read back equal, and written again give the same text`(seed: UInt64) throws {
    var maker = TraceMaker(generator: SeededGenerator(seed: seed))
    let events = maker.events()
    var bytes: [UInt8] = []
    bytes.appendLine(Header(firmware: .classic, duration: nil, title: maker.text()))
    for event in events { bytes.appendLine(event) }
    let read = try ReadTrace(bytes)
    #expect(read.events == events)
    #expect(read.canonical == String(decoding: bytes, as: UTF8.self))
    #expect(bytes.allSatisfy { $0 == 0x0A || (0x20...0x7E).contains($0) })
  }

  static let valid = """
    {"format": "sentry-trace", "version": 1, "firmware": "classic", "baud": 9600, "duration": 2.5, "x": [1e3, {"a": null}]}
    [0.000197, "servo", 90, 1472]
    [1.500000, "rx", "X45.\\u00ff\\n"]
    [1.500000, "baud", 4800]
    [1.500000, "format", "7E1"]
    [1.500000, "break", 0.004]
    [1.504224, "servo", 45, 1008]
    [1.600000, "reset", 1.6]
    [1.700000, "lost", "X", "booting"]
    [1.800000, "tone", 900.09]
    [1.900000, "tx", "\\""]
    [2.000000, "mark", "\\ud83c\\udfaf 塔"]
    [2.100000, "x-a", {"b": [true, -0.5e-3]}]

    """

  /// Deletes, doubles, swaps or changes a few bytes, sometimes to ones with a meaning.
  static func mutated(seed: UInt64) -> [UInt8] {
    var generator = SeededGenerator(seed: seed)
    var bytes = Array(valid.utf8)
    let meaning =
      Array("[]{}\",:\\0123456789eE.+-u\n\r\t ".utf8) + [0, 0x7F, 0x80, 0xC3, 0xED, 0xFF]
    for _ in 0..<Int.random(in: 1...4, using: &generator) {
      let place = Int.random(in: bytes.indices, using: &generator)
      switch Int.random(in: 0...5, using: &generator) {
      case 0: bytes.remove(at: place)
      case 1: bytes.insert(bytes[place], at: place)
      case 2: bytes[place] = UInt8.random(in: .min ... .max, using: &generator)
      case 3: bytes.insert(meaning.randomElement(using: &generator)!, at: place)
      case 4: bytes[place] = meaning.randomElement(using: &generator)!
      default: bytes.swapAt(place, Int.random(in: bytes.indices, using: &generator))
      }
    }
    return bytes
  }

  @Test(arguments: 0..<40)
  func `A mutated trace is read, or refused at a position inside it`(block: UInt64) throws {
    for seed in block * 100..<block * 100 + 100 {
      let bytes = Self.mutated(seed: seed)
      do {
        let canonical = try ReadTrace(bytes).canonical
        #expect(try ReadTrace(canonical).canonical == canonical, "seed \(seed)")
      } catch {
        let lines = bytes.split(separator: 0x0A, omittingEmptySubsequences: false)
        try #require(error.line >= 1 && error.line <= lines.count, "seed \(seed): \(error)")
        #expect(
          (1...lines[error.line - 1].count + 1).contains(error.column), "seed \(seed): \(error)")
        #expect(error.message.hasPrefix("expected "), "seed \(seed)")
      }
    }
  }

  @Test
  func `The mutations give both readable and unreadable traces`() {
    let readable = (0..<1_000).count { (try? ReadTrace(Self.mutated(seed: $0))) != nil }
    #expect((20...980).contains(readable))
  }

  @Test
  func `A valid trace cut off at any byte is read, or refused in its last line`() throws {
    let bytes = Array(Self.valid.utf8)
    for count in 1..<bytes.count {
      let lineCount = bytes[..<count].split(separator: 0x0A).count
      do {
        #expect(try ReadTrace(Array(bytes[..<count])).events.count == lineCount - 1)
      } catch {
        #expect(error.line == lineCount, "cut at \(count)")
      }
    }
  }
}
