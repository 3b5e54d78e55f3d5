import AVR
import ChipDevice
import Foundation
import Sketches
import Testing
import Traces

struct ChipDebuggerTests {
  /// `stack.cpp`, which calls a function all the time and reads no bytes.
  private static func debugger() throws -> ChipDebugger {
    var folder = URL(filePath: #filePath)
    for _ in 0..<2 { folder.deleteLastPathComponent() }
    let file = folder.appending(path: "AVRTests/Debugged/stack-2.elf")
    let image = try ProgramImage(contents: Array(Data(contentsOf: file)), name: "stack.elf")
    let source = AVRSource(AVRProgram(image, name: "stack.elf"))
    let sent = Event(.zero + .milliseconds(10), .receive([0x58, 0x4C]))
    return ChipDebugger(
      SessionMoments(
        source, Header(firmware: .guarded, duration: nil, title: nil), events: [sent],
        end: .zero + .milliseconds(100)),
      source.program.sourceMap)
  }

  // A byte at 9600 baud takes 1.04 ms.
  @Test(arguments: [
    ("50ms", "", 50.0...50.0), ("event 1", "event 1", 10.0...10.0),
    ("byte 2", "byte 2, `L`, arrived, and was lost (booting)", 12.0...12.2),
    ("lost 1", "lost byte 1, `X` (booting)", 11.0...11.1),
    ("byte 1 lost", "byte 1, `X`, was lost (booting)", 11.0...11.1),
    ("0s", "", 0.0...0.0),
  ])
  func `A moment has a stack, and the lines that ran before it`(
    moment: String, text: String, milliseconds: ClosedRange<Double>
  ) throws {
    let report = try Self.debugger().report(at: try #require(DebugMoment(moment)))
    #expect(report.moment == text)
    #expect(milliseconds.contains(Double((report.time - Instant.zero).nanoseconds) / 1_000_000))
    #expect(report.stack.isWhole && report.fault == nil && !report.isAsleep)
    guard report.time > Instant.zero else { return #expect(report.lines.isEmpty) }
    #expect(report.stack.frames.last?.place.function == "main")
    // The loop, what it calls and the interrupt have more than ten lines.
    #expect(report.lines.count == 10)
    #expect(report.lines.allSatisfy { $0.place.fileName == "stack.cpp" && $0.count > 0 })
    #expect(zip(report.lines, report.lines.dropFirst()).allSatisfy { $0.ago > $1.ago })
    #expect(report.lines[9].ago < .microseconds(2))
  }

  @Test(arguments: [
    ("byte 3", "the session has 2 bytes"), ("event 2", "the session has 1 event"),
    ("lost 9", "the session has 2 lost bytes"), ("pulse 1", "the session has 0 pulses"),
    ("twitch 1", "the session has no twitch"), ("2s", "the session ends at 0.1 s"),
    ("byte 1 read", "byte 1, `X`, was lost (booting)"),
  ])
  func `A moment that does not exist is refused with what there is`(
    moment: String, message: String
  ) throws {
    let debugger = try Self.debugger()
    let error = try #require(throws: NoSuchMoment.self) {
      try debugger.report(at: try #require(DebugMoment(moment)))
    }
    #expect(error.message == message)
  }

  @Test(arguments: [
    "", "byte", "byte 0", "byte x", "word 1", "-1s", "17", "byte 1 2", "lost 1 read",
  ])
  func `What is no moment is not one`(text: String) { #expect(DebugMoment(text) == nil) }

  @Test func `The .elf of a .hex has the same code`() throws {
    func program(_ bytes: [UInt8]) throws -> AVRProgram {
      var sketch = ChipSketch()
      sketch.words = [0x0000, UInt16(bytes[0])]
      return try sketch.program
    }
    #expect(try program([0]).firstDifference(from: program([0])) == nil)
    #expect(try program([0]).firstDifference(from: program([1])) == 2)
  }
}
