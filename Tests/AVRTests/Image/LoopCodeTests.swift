import Foundation
import TestSupport
import Testing

@testable import AVR

struct LoopCodeTests {
  /// A compilation of `Debugged/turns.cpp`.
  private static func bytes(_ name: String) throws -> [UInt8] {
    var folder = URL(filePath: #filePath)
    for _ in 0..<2 { folder.deleteLastPathComponent() }
    return Array(try Data(contentsOf: folder.appending(path: "Debugged/turns-\(name).elf")))
  }

  private static func image(_ name: String) throws -> ProgramImage {
    try ProgramImage(contents: bytes(name), name: name)
  }

  /// The longest turns of a tenth of a second, each longer than the one before, in cycles.
  private static func turns(_ image: ProgramImage, _ loop: LoopCode) -> [UInt64] {
    var chip = ATmega328P(flash: image.segments.map { (Int($0.address), $0.bytes) })
    chip.recordRun(loop: loop, wholly: false)
    chip.run(until: 1_600_000)
    return chip.takeNotes().compactMap {
      if case .turn(let cycles, isOver: true) = $0.note { cycles } else { nil }
    }
  }

  @Test(arguments: ["early", "waits", "cases"])
  func `A turn takes as long if loop is a part of main`(name: String) throws {
    let (image, other) = (try Self.image(name), try Self.image(name + "-apart"))
    let loop = try #require(image.sourceMap.loopCode(in: image.words))
    let called = try #require(other.sourceMap.loopCode(in: other.words))
    guard case .inlined(_, let between) = loop, case .called = called else {
      Issue.record("\(loop), \(called)")
      return
    }
    // The call of `serialEventRun`.
    #expect(between.count == 1)
    let longest = try #require(Self.turns(image, loop).last)
    let expected = try #require(Self.turns(other, called).last)
    // The call and the return, and what the compiler computes only once.
    #expect(expected > 1_600 && longest.distance(to: expected).magnitude < 48, "\(longest)")
  }

  @Test func `A turn that nothing of main separates from the next is not told`() throws {
    let image = try Self.image("merged")
    #expect(!image.sourceMap.function(named: "loop").isEmpty)
    #expect(image.sourceMap.loopCode(in: image.words) == nil)
  }

  @Test func `Damaged debug information is read without a trap`() throws {
    let whole = try Self.bytes("early")
    var found: Set<Bool> = []
    for seed in Seeds.first(60) {
      var random = SeededGenerator(seed: seed)
      var bytes = whole
      for _ in 0..<Int.random(in: 1...3, using: &random) {
        let place = Int.random(in: 0x400..<bytes.count, using: &random)
        bytes[place] = .random(in: 0...255, using: &random)
      }
      guard let image = try? ProgramImage(contents: bytes, name: "damaged") else { continue }
      found.insert(image.sourceMap.loopCode(in: image.words) == nil)
    }
    #expect(found == [true, false])
  }

  @Test func `A program without symbols does not show its loop`() {
    #expect(SourceMap.none.loopCode(in: [0xCFFF]) == nil)
  }
}
