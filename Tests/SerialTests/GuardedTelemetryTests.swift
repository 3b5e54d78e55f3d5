import Devices
import Sketches
import TestSupport
import Testing
import Traces

@testable import Serial

/// The model with and without the bench's own telemetry, in virtual time.
@Suite struct GuardedTelemetryTests {
  static let header = Header(firmware: .guarded, duration: nil, title: nil)
  static let byteTime = Interval.nanoseconds(1_041_666)

  struct Session {
    var servo: [(time: Instant, output: Output)] = []
    var sent: [UInt8] = []
    var isLeftOn = false
  }

  /// What a sender sees without the bench.
  private static func alone(_ inputs: [(Instant, String)], until end: Instant) -> Session {
    var session = Session()
    var simulation = Simulation(Model(.guarded, for: header, showsPulses: false))
    func run(to end: Instant) {
      while simulation.step(to: end) {
        for seen in simulation.outputs {
          switch seen.output {
          case .transmit(let byte): session.sent.append(byte)
          case .servo: session.servo.append((seen.time, seen.output))
          default: break
          }
        }
      }
    }
    for (time, text) in inputs {
      run(to: time)
      simulation.feed(Event(time, .receive(Array(text.utf8))))
    }
    run(to: end)
    return session
  }

  /// The same with the bench between sender and board.
  private static func observed(_ inputs: [(Instant, String)], until end: Instant) -> Session {
    var session = Session()
    var simulation = Simulation(Model(.guarded, for: header, showsPulses: false))
    var telemetry = GuardedTelemetry(baud: 9_600, isOn: false)
    var lineFree = Instant.zero
    func feed(_ bytes: [UInt8], at time: Instant) {
      simulation.feed(Event(time, .receive(bytes)))
      lineFree = max(time, lineFree)
      for _ in bytes { lineFree += byteTime }
    }
    func run(to end: Instant) {
      while simulation.step(to: end) {
        for seen in simulation.outputs {
          guard case .transmit(let byte) = seen.output else { continue }
          telemetry.take(byte, at: seen.time + byteTime) { output, time in
            if case .transmit(let byte) = output { session.sent.append(byte) }
            if case .servo = output { session.servo.append((time, output)) }
          }
        }
      }
    }
    feed(telemetry.begin(at: .zero, sketchStart: .zero), at: .zero)
    for (time, text) in inputs {
      run(to: time)
      let first = max(time, lineFree) + byteTime
      feed(
        telemetry.filter(Array(text.utf8), firstEnd: first, listensFrom: .zero), at: time)
    }
    run(to: end)
    session.isLeftOn = telemetry.isLeftOn
    return session
  }

  private static func time(_ milliseconds: Int64) -> Instant { .zero + .milliseconds(milliseconds) }

  static let table: [(name: String, inputs: [(Int64, String)])] = [
    ("aims", [(100, "X45."), (300, "X180."), (500, "X180."), (700, "X0.")]),
    ("a sweep and a question", [(100, "L"), (700, "?"), (1_300, "X45.")]),
    ("a sender that requests lines too", [(100, "V"), (200, "X45."), (400, "V"), (600, "X50.")]),
    ("lines during a sweep", [(100, "L"), (500, "V"), (900, "V"), (1_200, "V"), (1_400, "V")]),
    ("a V inside a number abandons it", [(100, "X4V5."), (300, "X60."), (500, "X7V.?")]),
    ("status counts without those of the bench", [(200, "?"), (400, "X200.?"), (600, "VV?")]),
    ("an aim at once", [(0, "X45."), (100, "X46.")]),
  ]

  @Test(arguments: table)
  func `The sender sees the same as without the bench, and the bench sees the servo`(
    _ row: (name: String, inputs: [(Int64, String)])
  ) {
    check(row.inputs.map { (Self.time($0.0), $0.1) })
  }

  @Test(arguments: 1...60 as ClosedRange<UInt64>)
  func `The bench stays invisible to any sender that leaves room for its lines`(_ seed: UInt64) {
    var random = SeededGenerator(seed: seed)
    let words = ["X45.", "X170.", "X3.", "L", "V", "?", "T", "X9V", "X", "zz", ".", "X999.", "X7."]
    var now: Int64 = 90
    let inputs = (0..<14).map { _ in
      now += Int64.random(in: 130...300, using: &random)
      return (Self.time(now), words.randomElement(using: &random)!)
    }
    check(inputs, isExact: false)
  }

  /// Without `isExact` a line at the very moment of a `V` can be shown or not.
  private func check(_ inputs: [(Instant, String)], isExact: Bool = true) {
    let end = inputs.map(\.0).max()! + .seconds(1)
    let alone = Self.alone(inputs, until: end)
    let observed = Self.observed(inputs, until: end)
    let count = inputs.reduce(0) { $0 + $1.1.utf8.count { $0 == UInt8(ascii: "V") } }
    let (seen, wanted) = (Self.masked(observed.sent), Self.masked(alone.sent))
    if isExact {
      #expect(seen == wanted)
    } else {
      func isReport(_ line: String) -> Bool { line.contains("ok=") }
      #expect(seen.filter(isReport) == wanted.filter(isReport))
      #expect(abs(seen.count - wanted.count) <= count)
    }
    // Writes during the last line's time have not been reported yet.
    let told = alone.servo.filter { $0.time < end - .milliseconds(70) }
    #expect(observed.servo.prefix(told.count).map(\.output) == told.map(\.output))
    for (found, truth) in zip(observed.servo, told) {
      // The first line waits for the answer that the bench requested, which nothing indicates.
      let limit = Interval.milliseconds(truth.time < Self.time(70) ? 55 : 5)
      #expect((found.time - truth.time).magnitude < limit)
    }
    #expect(observed.isLeftOn == (count % 2 == 1))
  }

  /// Hides clock readings, which the bench's own three bytes and lines shift by some microseconds.
  private static func masked(_ bytes: [UInt8]) -> [String] {
    String(decoding: bytes, as: UTF8.self).split(separator: "\n").map { line in
      line.utf8.count == 10 ? line.prefix(4) + "...." + line.suffix(2) : String(line)
    }
  }

  @Test func `A board that does not answer is overdue after half a second`() {
    var telemetry = GuardedTelemetry(baud: 9_600, isOn: false)
    _ = telemetry.begin(at: .zero, sketchStart: .zero)
    for byte in "hello\nX\n".utf8 { telemetry.take(byte, at: Self.time(40)) { _, _ in } }
    #expect(!telemetry.isOverdue(at: Self.time(500)))
    #expect(telemetry.isOverdue(at: Self.time(501)))
  }

  @Test func `Telemetry that was already on belongs to the sender and is not requested again`() {
    var telemetry = GuardedTelemetry(baud: 9_600, isOn: true)
    #expect(telemetry.begin(at: .zero, sketchStart: nil) == Array("?".utf8))
    #expect(telemetry.isLeftOn)
    var sent: [UInt8] = []
    for byte in "0016e3605a\n".utf8 {
      telemetry.take(byte, at: Self.time(40)) { output, _ in
        if case .transmit(let byte) = output { sent.append(byte) }
      }
    }
    #expect(String(decoding: sent, as: UTF8.self) == "0016e3605a\n")
  }

  @Test(arguments: [1_000, 20_001, 50_000])
  func `The history of V bytes is limited, and none is miscounted`(_ count: Int) {
    var telemetry = GuardedTelemetry(baud: 9_600, isOn: false)
    var end = Instant.zero
    for _ in 0..<count {
      _ = telemetry.filter([0x56], firstEnd: end, listensFrom: .zero)
      end += Self.byteTime
    }
    #expect(telemetry.changes.count <= GuardedTelemetry.changesMax)
    #expect(telemetry.changes.last == end - Self.byteTime)
    #expect(telemetry.isLeftOn == (count % 2 == 1))
  }

  @Test func `Bytes that are sent while the bootloader runs toggle nothing`() {
    var telemetry = GuardedTelemetry(baud: 9_600, isOn: false)
    let bytes = telemetry.filter([0x56], firstEnd: Self.time(10), listensFrom: Self.time(11))
    #expect(bytes == Array("v".utf8))
    #expect(!telemetry.isLeftOn)
  }
}
