import Sketches
import SystemPackage
import TestSupport
import Testing
import Traces

@testable import Sessions

/// When a recording in parts is written, continued in a new part or abandoned, without a disk.
struct RotationTests {
  /// Takes events and returns the actions as text, at an instant that the test sets.
  private struct Line {
    var rotation: Rotation
    var now = Instant.zero
    /// The size of the present part in bytes. Each write adds one.
    var length: Int64 = 0

    init(isFile: Bool = true) {
      rotation = Rotation(RotationPolicy(bytesMax: 100), isFile: isFile)
    }

    /// A session that has begun, with one event in its first part.
    static func recording(isFile: Bool = true) -> Line {
      var line = Line(isFile: isFile)
      line.rotation.begin(baud: 9_600)
      _ = line.flush(put: 1)
      _ = line.take(.done(length: 1))
      line.length = 1
      return line
    }

    mutating func take(_ event: Rotation.Event) -> String? {
      rotation.handle(event, at: now).map(Self.word)
    }

    mutating func put(_ kind: Event.Kind = .mark("event")) { rotation.put(Event(now, kind)) }

    mutating func flush(put count: Int = 0, isQuiet: Bool = true) -> String? {
      for _ in 0..<count { put() }
      return take(.flush(length: length, isQuiet: isQuiet))
    }

    static func word(_ action: Rotation.Action) -> String {
      switch action {
      case .write(let origin): "write since \(milliseconds(origin))"
      case .begin(let part):
        "part \(part.number) at \(milliseconds(part.origin))"
          + (part.missing > 0 ? ", missing \(part.missing)" : "")
          + (part.senderBaud.map { ", baud \($0)" } ?? "")
          + (part.end.map { ", end \(milliseconds($0))" } ?? "") + (part.isAstray ? ", astray" : "")
      case .report(.trouble(let trouble)): "trouble: \(trouble.text)"
      case .report(let news): "\(news)"
      default: "\(action)"
      }
    }

    static func milliseconds(_ instant: Instant) -> Int64 { instant.nanoseconds / 1_000_000 }
  }

  private static let full = Rotation.Event.failed(.noSpace)
  private static func at(_ milliseconds: Int64) -> Instant { .zero + .milliseconds(milliseconds) }

  @Test func `Nothing is written before the session starts or has an event`() {
    var line = Line()
    #expect(line.flush() == nil)
    line.rotation.begin(baud: 9_600)
    #expect(line.flush() == nil)
    #expect(line.rotation.nextDeadline == nil)
    #expect(line.flush(put: 2) == "open")
    #expect(line.take(.done(length: 50)) == nil)
    #expect(line.rotation.part == 1)
    #expect(line.rotation.nextDeadline == Self.at(500))
  }

  @Test func `An event is written with the next flush, once`() {
    var line = Line.recording()
    #expect(line.flush(put: 3) == "write since 0")
    #expect(line.take(.done(length: 2)) == nil)
    #expect(line.flush() == nil)
  }

  @Test func `A large part is followed by another at a quiet moment, or at twice the size`() {
    for (length, isQuiet, expected) in [
      (99, true, nil), (100, false, nil), (100, true, "part 2 at 40, end 40"),
      (199, false, nil), (200, false, "part 2 at 40, end 40"),
    ] as [(Int64, Bool, String?)] {
      var line = Line.recording()
      line.now = Self.at(40)
      #expect(line.flush(put: 1, isQuiet: isQuiet) == "write since 0")
      #expect(line.take(.done(length: length)) == expected, "\(length)")
    }
  }

  @Test func `A later part starts at a whole microsecond, and it knows the sender's speed`() {
    var line = Line.recording()
    line.length = 100
    line.now = Instant(nanoseconds: 40_001_999)
    let pin = BoardPin(arduino: 2)!
    line.put(.baud(4_800))
    line.put(.format(LineFormat(dataSize: 8, parity: .even)))
    line.put(.input(.level(pin, true)))
    line.put(.input(.level(pin, false)))
    #expect(line.flush() == "write since 0")
    let action = line.rotation.handle(.done(length: 100), at: line.now)
    let part = RecordingPart(
      number: 2, origin: Instant(nanoseconds: 40_001_000), missing: 0, senderBaud: 4_800,
      senderFormat: LineFormat(dataSize: 8, parity: .even), inputs: [.level(pin, false)],
      end: line.now, isAstray: false)
    #expect(action == .begin(part))
    #expect(line.take(.done(length: 10)) == nil)
    line.now = Self.at(50)
    line.put(.baud(9_600))
    #expect(line.flush() == "write since 40")
    #expect(line.take(.done(length: 100)) == "part 3 at 50, end 9")
  }

  @Test func `No part starts before the last event that was put`() {
    var line = Line.recording()
    line.now = Self.at(90)
    line.put()
    line.now = Self.at(80)
    #expect(line.flush() == "write since 0")
    #expect(line.take(.done(length: 100)) == "part 2 at 90, end 90")
  }

  @Test func `A full disk is reported once, and a new part is tried every 30 s`() {
    var line = Line.recording()
    #expect(line.flush(put: 2) == "write since 0")
    #expect(line.take(Self.full) == "trouble: cannot be written: No space left on device")
    #expect(line.flush(put: 3) == nil)
    #expect(line.rotation.lost == 5)
    for second in [30, 60] as [Int64] {
      #expect(line.rotation.nextDeadline == Self.at(second * 1_000))
      line.now = Self.at(second * 1_000 - 1)
      #expect(line.flush() == nil)
      line.now = Self.at(second * 1_000)
      #expect(line.flush() == "part 2 at \(second * 1_000), missing 5")
      if second == 30 { #expect(line.take(Self.full) == nil) }
    }
    #expect(line.take(.done(length: 3)) == "again(missing: 5)")
    #expect(line.rotation.trouble == nil)
    #expect(line.rotation.lost == 5)
    #expect(line.flush(put: 1) == "write since 60000")
  }

  @Test func `If the disk is full from the start, the first part starts like a later one`() {
    var line = Line()
    line.rotation.begin(baud: 9_600)
    #expect(line.flush(put: 1) == "open")
    #expect(line.take(Self.full) == "trouble: cannot be written: No space left on device")
    line.now = Self.at(30_000)
    #expect(line.flush(put: 1) == "part 1 at 30000, missing 2")
    #expect(line.take(.done(length: 3)) == "again(missing: 2)")
    #expect(line.rotation.part == 1)
  }

  @Test func `If no new part can be started, the same file is used for another 30 s`() {
    var line = Line.recording()
    line.length = 100
    #expect(line.flush() == "part 2 at 0, end 0")
    #expect(
      line.take(.failed(.isDirectory)) == "trouble: a new part cannot be started: Is a directory")
    #expect(line.flush(put: 1) == "write since 0")
    #expect(line.take(.done(length: 300)) == nil)
    line.now = Self.at(30_000)
    #expect(line.flush(put: 1) == "write since 0")
    #expect(line.take(.done(length: 300)) == "look")
    #expect(line.take(.found(.present)) == "part 2 at 30000, end 30000")
    #expect(line.take(.done(length: 5)) == "again(missing: 0)")
    #expect(line.rotation.lost == 0)
  }

  @Test func `The file is checked twice a second, but a device or a FIFO never`() {
    var line = Line.recording()
    line.now = Self.at(499)
    #expect(line.flush() == nil)
    line.now = Self.at(500)
    #expect(line.flush() == "look")
    #expect(line.take(.found(.present)) == nil)
    #expect(line.rotation.nextDeadline == Self.at(1_000))

    var device = Line.recording(isFile: false)
    device.now = Self.at(5_000)
    device.length = 1_000
    #expect(device.flush() == nil)
    #expect(device.rotation.nextDeadline == nil)
    #expect(device.flush(put: 1) == "write since 0")
    _ = device.take(Self.full)
    device.now = Self.at(35_000)
    #expect(device.flush() == "part 2 at 35000, missing 1")
  }

  @Test func `A new part follows a file that was moved, and nothing is lost`() {
    var line = Line.recording()
    line.now = Self.at(700)
    #expect(line.flush() == "look")
    #expect(line.take(.found(.moved)) == "part 2 at 700, end 700, astray")
    #expect(line.take(.done(length: 3)) == "moved")
    #expect(line.rotation.lost == 0)
    #expect(line.rotation.nextDeadline == Self.at(1_200))
  }

  @Test func `A moved file is written to until a new part can be started`() {
    var line = Line.recording()
    line.now = Self.at(700)
    _ = line.flush()
    _ = line.take(.found(.moved))
    let taken = "trouble: a new part cannot be started: another bench is recording to this file"
    #expect(line.take(.failed(.wouldBlock)) == taken)
    #expect(line.flush(put: 1) == "write since 0")
    #expect(line.take(.done(length: 3)) == nil)
    line.now = Self.at(30_700)
    #expect(line.flush() == "part 2 at 30700, end 30700, astray")
    #expect(line.take(.done(length: 3)) == "again(missing: 0)")
  }

  @Test func `The events in a deleted file count as lost`() {
    var line = Line.recording()
    _ = line.flush(put: 2)
    _ = line.take(.done(length: 3))
    line.now = Self.at(700)
    #expect(line.flush() == "look")
    #expect(line.take(.found(.deleted)) == "part 2 at 700, missing 3, end 700, astray")
    #expect(line.take(.done(length: 3)) == "replaced(events: 3)")
    #expect(line.rotation.lost == 3)
    #expect(line.flush(put: 1) == "write since 700")
  }

  @Test func `A deleted file that cannot be replaced is not written to`() {
    var line = Line.recording()
    line.now = Self.at(700)
    _ = line.flush()
    _ = line.take(.found(.deleted))
    #expect(
      line.take(.failed(.noSuchFileOrDirectory))
        == "trouble: the recording was deleted, and 1 event with it, and a new part cannot be "
        + "started: No such file or directory")
    #expect(line.flush(put: 1) == nil)
    line.now = Self.at(30_700)
    #expect(line.flush() == "part 2 at 30700, missing 2, astray")
    #expect(line.take(.done(length: 3)) == "again(missing: 2)")
  }

  @Test func `A deleted file is reported even if a new part could not be started before`() {
    var line = Line.recording()
    line.length = 100
    _ = line.flush()
    _ = line.take(.failed(.isDirectory))
    line.now = Self.at(700)
    #expect(line.flush() == "look")
    #expect(line.take(.found(.deleted)) == "part 2 at 700, missing 1, end 700, astray")
    #expect(
      line.take(.failed(.isDirectory))?.hasPrefix("trouble: the recording was deleted") == true)
  }

  @Test func `The end writes the rest, checks no file and starts no part`() {
    var line = Line.recording()
    line.now = Self.at(5_000)
    line.put()
    #expect(line.take(.finish) == "write since 0")
    #expect(line.take(.done(length: 1_000)) == nil)

    var short = Line()
    short.rotation.begin(baud: 9_600)
    short.put()
    #expect(short.take(.finish) == "open")
    #expect(short.take(.done(length: 3)) == nil)
    #expect(short.rotation.part == 1)

    var empty = Line()
    #expect(empty.take(.finish) == nil)
  }

  @Test func `Every event is in a part or counted as lost, whatever the disk does`() {
    var random = SeededGenerator(seed: 11)
    for round in 0..<1_000 {
      var line = Line(isFile: round % 4 > 0)
      line.rotation.begin(baud: 9_600)
      var (put, inPart, kept, lost) = (0, 0, 0, 0)
      // How many events were lost when the present part began.
      var lostBefore = 0
      var isInTrouble = false
      for _ in 0..<60 {
        line.now += .milliseconds(Int64.random(in: 0..<9_000, using: &random))
        line.length = Int64.random(in: 0..<250, using: &random)
        let count = Int.random(in: 0..<4, using: &random)
        put += count
        let before = line.rotation
        for _ in 0..<count { line.put() }
        var action = line.rotation.handle(
          .flush(length: line.length, isQuiet: .random(using: &random)), at: line.now)
        var isWaiting = count > 0
        while let next = action {
          let isDone = Int.random(in: 0..<4, using: &random) > 0
          var outcome: Rotation.Event = isDone ? .done(length: line.length) : Self.full
          switch next {
          case .open, .write:
            #expect(isWaiting)
            isWaiting = false
            if isDone { inPart += count } else { lost += count }
          case .look:
            outcome = .found([.present, .moved, .deleted].randomElement(using: &random)!)
            if outcome == .found(.deleted) {
              lost += inPart
              inPart = 0
            }
          case .begin(let part):
            #expect(part.number == before.part + 1 && part.origin <= line.now)
            if isWaiting { lost += count }
            isWaiting = false
            #expect(part.missing == lost - lostBefore)
            if isDone {
              (kept, inPart) = (kept + inPart, 0)
              lostBefore = lost
            }
          case .report(let news):
            if case .trouble(let trouble) = news {
              var isDeleted = false
              if case .deleted = trouble { isDeleted = true }
              #expect(!isInTrouble || isDeleted)
              isInTrouble = true
            } else if line.rotation.trouble == nil {
              isInTrouble = false
            }
            action = nil
            continue
          }
          action = line.rotation.handle(outcome, at: line.now)
        }
        if isWaiting { lost += count }
        #expect(kept + inPart + lost == put)
        #expect(line.rotation.lost == lost)
        #expect((line.rotation.trouble != nil) == isInTrouble, "round \(round)")
        if let due = line.rotation.nextDeadline { #expect(due > line.now) }
      }
    }
  }
}
