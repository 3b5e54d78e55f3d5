import Guarded
import Testing

/// The guarded sketch alone, byte by byte, on its own clock.
@Suite struct GuardedSketchTests {
  /// Feeds bytes one millisecond apart from `start`. Returns the angles that were written.
  private func feed(_ text: String, to sketch: inout GuardedSketch, at start: UInt32 = 0) -> [UInt8]
  {
    var now = start
    return text.utf8.compactMap { byte in
      now &+= 1_000
      return sketch.receive(byte, at: now).action.degrees
    }
  }

  @Test(
    arguments: [
      ("X0.", [0]), ("X7.", [7]), ("X45.", [45]), ("X007.", [7]), ("X180.", [180]),
      ("X181.", []), ("X999.", []), ("X0045.", []), ("X65546.", []), ("X.", []), ("X-5.", []),
      ("X4 5.", []), ("X45\r\n", []), ("x45.", []), ("45.", []), ("X4\u{7F}5.", []),
      ("X12X34.", [34]), ("XX34.", [34]), ("X1ZX34.", [34]), ("X999.X34.", [34]),
      ("helloX45.worldX50.", [45, 50]),
    ] as [(String, [UInt8])])
  func `An aim is an X, one to three digits up to 180, and a full stop`(
    _ text: String, _ angles: [UInt8]
  ) {
    var sketch = GuardedSketch()
    #expect(feed(text, to: &sketch) == angles)
  }

  @Test(arguments: [("X12L", true), ("X12X", false), ("X12Z", false), ("XL", true)])
  func `A byte that ends a number early is handled as a command`(_ text: String, _ sweeps: Bool) {
    var sketch = GuardedSketch()
    _ = feed(text, to: &sketch)
    #expect(sketch.isSweeping == sweeps)
  }

  @Test
  func `A tone letter that ends a number early sounds`() {
    var sketch = GuardedSketch()
    _ = feed("X12", to: &sketch)
    let taken = sketch.receive(UInt8(ascii: "T"), at: 9_000)
    #expect(taken.fate == .letter && taken.abandonsNumber && taken.action.hertz == 800)
  }

  @Test(arguments: [0, UInt32.max - 100_000])
  func `A number is abandoned 250 ms after its X, not after its last digit`(_ start: UInt32) {
    var sketch = GuardedSketch()
    _ = sketch.receive(UInt8(ascii: "X"), at: start)
    _ = sketch.receive(UInt8(ascii: "4"), at: start &+ 249_000)
    #expect(sketch.microsecondsToDeadline(from: start &+ 249_000) == 1_000)
    #expect(sketch.tick(at: start &+ 249_999) == nil)
    #expect(sketch.tick(at: start &+ 250_000)?.abandonsNumber == true)
    #expect(sketch.numberSoFar == nil)
    #expect(sketch.microsecondsToDeadline(from: start &+ 250_000) == nil)
  }

  @Test(arguments: [0, UInt32.max - 1_000_000])
  func `A sweep has 282 steps of 15 ms, takes each end twice and does not drift`(_ start: UInt32) {
    var sketch = GuardedSketch()
    _ = feed("X20.", to: &sketch, at: start)
    // The first aim's tone ends before the sweep begins.
    #expect(sketch.tick(at: start &+ 300_000)?.action.hertz == 0)
    let first = start &+ 400_000
    var angles = [sketch.receive(UInt8(ascii: "L"), at: first).action.degrees!]
    var now = first
    for step in 1..<(282 * 2) {
      now = now &+ sketch.microsecondsToDeadline(from: now)!
      #expect(now == first &+ UInt32(step) &* 15_000)
      // The loop can be late, but the next step is on time.
      angles.append(sketch.tick(at: now &+ UInt32(step % 7) * 100)!.action.degrees!)
    }
    let cycle = Array(20...160) + Array((20...160).reversed()).map { UInt8($0) }
    #expect(angles == (cycle + cycle).map { UInt8($0) })
  }

  @Test
  func `Only an accepted aim stops a sweep, not L, junk or refused aims`() {
    var sketch = GuardedSketch()
    _ = feed("L", to: &sketch)
    let before = sketch.sweepState
    #expect(feed("LZ\r\nX999.X12Z", to: &sketch, at: 2_000) == [])
    #expect(sketch.sweepState == before && sketch.isSweeping)
    #expect(feed("X45.", to: &sketch, at: 13_000) == [45])
    #expect(!sketch.isSweeping && sketch.microsecondsToDeadline(from: 20_000) != nil)
  }

  @Test
  func `A sweep from above 160 jumps to 160 and descends`() {
    var sketch = GuardedSketch()
    _ = feed("X170.", to: &sketch)
    #expect(sketch.receive(UInt8(ascii: "L"), at: 9_000).action.degrees == 160)
    #expect(sketch.sweepState == Sweep(from: 161).advanced)
  }

  @Test
  func `The first accepted aim after start-up or L sounds 900 Hz, a refused one does not`() {
    var sketch = GuardedSketch()
    var tones: [UInt16] = []
    for (index, byte) in "X999.X45.X46.LX47.LLX48.X49.".utf8.enumerated() {
      let taken = sketch.receive(byte, at: UInt32(index) * 1_000)
      if let hertz = taken.action.hertz { tones.append(hertz) }
    }
    #expect(tones == [900, 900, 900])
  }

  @Test
  func `A new tone replaces the current one and ends 160 ms after it began`() {
    var sketch = GuardedSketch()
    #expect(sketch.receive(UInt8(ascii: "T"), at: 0).action.hertz == 800)
    #expect(sketch.receive(UInt8(ascii: "O"), at: 100_000).action.hertz == 750)
    #expect(sketch.tick(at: 160_000) == nil)
    #expect(sketch.tick(at: 260_000)?.action.hertz == 0)
    #expect(sketch.tick(at: 600_000) == nil)
  }

  @Test
  func `The status line contains angle, mode and counts`() {
    var sketch = GuardedSketch()
    _ = feed("X45.LX999.", to: &sketch)
    for _ in 0..<12 { sketch.lostByte() }
    sketch.droppedLine()
    let line = sketch.receive(UInt8(ascii: "?"), at: 20_000).action.line
    #expect(line.map(text) == "045 scan ok=00002 no=00001 lost=00012 drop=00001\n")
  }

  @Test
  func `After V each servo write sends a line of 11 bytes, until the next V`() {
    var sketch = GuardedSketch()
    _ = feed("V", to: &sketch)
    _ = sketch.receive(UInt8(ascii: "X"), at: 0x1234_5000)
    _ = sketch.receive(UInt8(ascii: "9"), at: 0x1234_5001)
    let aim = sketch.receive(UInt8(ascii: "."), at: 0x1234_ABCD).action
    #expect(aim.line.map(text) == "1234abcd09\n")
    let sweep = sketch.receive(UInt8(ascii: "L"), at: 0x1235_0000).action
    #expect(sweep.line.map(text) == "1235000009\n")
    #expect(sketch.tick(at: 0x1235_0000 + 15_000)?.action.line.map(text) == "12353a980a\n")
    _ = feed("V", to: &sketch, at: 0x1236_0000)
    #expect(sketch.tick(at: 0x1235_0000 + 30_000)?.action.line == nil)
  }

  @Test
  func `Counters stay at their maximum`() {
    var sketch = GuardedSketch()
    for _ in 0..<70_000 { sketch.lostByte() }
    let line = sketch.receive(UInt8(ascii: "?"), at: 0).action.line
    #expect(line.map(text) == "090 hold ok=00000 no=00000 lost=65535 drop=00000\n")
  }

  private func text(_ line: Line) -> String {
    String(decoding: (0..<line.count).map { line.byte(at: $0) }, as: UTF8.self)
  }
}

extension Sweep {
  fileprivate var advanced: Sweep {
    var copy = self
    _ = copy.advance()
    return copy
  }
}
