import Devices
import Engine
import Foundation
import Judging
import Sketches
import TestSupport
import Testing
import Traces

@testable import Sessions

/// A model session in virtual time that is recorded in parts.
struct RotatedSession: ~Copyable {
  let folder: TestFolder
  var recording: RotatingRecording
  /// All events that were put, in the session's own times.
  private(set) var events: [Event] = []
  private(set) var news: [String] = []
  private var session: LiveBoard<Model>
  /// One turn of the bench.
  private static let turn = Interval.milliseconds(5)

  init(
    _ firmware: Firmware, _ policy: RotationPolicy, in folder: TestFolder,
    named name: String = "session.jsonl"
  ) throws {
    self.folder = folder
    recording = try RotatingRecording(folder.path(name), policy)
    var header = Header(firmware: firmware, baud: 9_600, duration: nil, title: nil)
    header.set(source: "a test")
    recording.begin(header)
    session = LiveBoard(
      Model(firmware, for: header, showsPulses: false), baud: 9_600,
      kinds: Set(Output.Kind.allCases).subtracting([.pulse]))
  }

  var now: Instant { session.now }
  var bytesOnTheWay: Int { session.onTheWayCount }

  /// Sends bytes to the board.
  mutating func send(_ text: String) { take(.receive(Array(text.utf8))) }

  mutating func take(_ kind: Event.Kind) {
    var emitted: [Event] = []
    session.take(.event(kind), at: session.now) { emitted.append($0) }
    put(emitted)
  }

  /// Runs turns of the bench until an instant. With `isNeverQuiet`, no turn counts as quiet.
  mutating func run(to end: Instant, isNeverQuiet: Bool = false) {
    while session.now < end {
      var emitted: [Event] = []
      session.pass(to: min(end, session.now + Self.turn)) { emitted.append($0) }
      put(emitted)
      let isQuiet = session.onTheWayCount == 0 && session.device.waitingCount == 0
      if let new = recording.flush(at: session.now, isQuiet: isQuiet && !isNeverQuiet) {
        news.append(new)
      }
    }
  }

  mutating func run(for length: Interval) { run(to: session.now + length) }

  mutating func finish() throws {
    var emitted: [Event] = []
    session.finish(at: session.now) { emitted.append($0) }
    put(emitted)
    try recording.finish()
  }

  private mutating func put(_ emitted: [Event]) {
    for event in emitted { recording.put(event) }
    events += emitted
  }

  /// The parts' names, the oldest first.
  var parts: [String] {
    folder.names.filter { $0.hasPrefix("session.") }.sorted { Self.age($0) > Self.age($1) }
  }

  /// Returns the age of a part; 0 for the present one.
  private static func age(_ name: String) -> Int { Int(name.split(separator: ".")[1]) ?? 0 }

  /// Verifies a part on the model.
  func verdict(on part: String) throws -> Verdict {
    var reader = try TraceReader(text: Array(folder.read(part).utf8), path: part)
    return try Verification().verify(&reader)
  }

  /// Returns a part's header and events.
  func read(_ part: String) throws -> (header: Header, events: [Event]) {
    var reader = try TraceReader(text: Array(folder.read(part).utf8), path: part)
    var events: [Event] = []
    while let event = try reader.next() { events.append(event) }
    return (reader.header, events)
  }

  /// Returns where a later part's times begin, from the note at its head.
  static func origin(of events: [Event]) throws -> Instant {
    for case .mark(let note) in events.prefix(2).map(\.kind) {
      guard let words = note.firstRange(of: "from its ") else { continue }
      let seconds = note[words.upperBound...].prefix { $0 == "." || $0.isNumber }
      return .zero + (try #require(Interval(decimalSeconds: String(seconds))))
    }
    throw NoOrigin()
  }

  struct NoOrigin: Error {}
}

/// A recording that was there before.
enum EarlierFile {
  static func text(_ title: String) -> String {
    #"{"format": "sentry-trace", "version": 1, "firmware": "guarded", "title": "\#(title)"}"# + "\n"
  }
}
