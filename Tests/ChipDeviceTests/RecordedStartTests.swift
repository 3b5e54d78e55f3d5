import AVR
import Devices
import Foundation
import Sketches
import Testing
import Traces

@testable import ChipDevice

struct RecordedStartTests {
  @Test func `What was before a session counts in its record, and is not reported in it`() throws {
    var folder = URL(filePath: #filePath)
    for _ in 0..<2 { folder.deleteLastPathComponent() }
    let file = folder.appending(path: "AVRTests/Debugged/stack-2.elf")
    let image = try ProgramImage(contents: Array(Data(contentsOf: file)), name: "stack.elf")
    var header = Header(firmware: .guarded, duration: nil, title: nil)
    header.set(start: .unknown)
    let source = AVRSource(AVRProgram(image, name: "stack.elf"))
    var plain = source.makeDevice(for: header, firmware: .guarded, showsPulses: false)
    var recorded = plain
    recorded.recordRun(wholly: false)
    var isSame = recorded.chip == plain.chip
    #expect(isSame)
    // `main` was called before the session.
    let count = recorded.chip.runRecord?.frames.count
    #expect(count ?? 0 > 0)
    var recorder = Recorder()
    plain.advance(to: .zero + .milliseconds(3), into: &recorder)
    recorder = Recorder()
    recorded.advance(to: .zero + .milliseconds(3), into: &recorder)
    isSame = recorded.chip == plain.chip
    #expect(isSame)
    let notes = recorder.notes
    #expect(notes.allSatisfy { if case .memory = $0.note { false } else { $0.time >= .zero } })
    #expect(notes.contains { if case .longest = $0.note { true } else { false } })
  }
}
