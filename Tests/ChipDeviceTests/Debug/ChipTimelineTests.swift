import AVR
import Devices
import Foundation
import Sketches
import TestSupport
import Testing
import Traces

@testable import ChipDevice

struct ChipTimelineTests {
  /// A program of the repository, by its path.
  private static func source(_ path: String) throws -> AVRSource {
    var folder = URL(filePath: #filePath)
    for _ in 0..<4 { folder.deleteLastPathComponent() }
    let image = try ProgramImage(
      contents: Array(Data(contentsOf: folder.appending(path: path))), name: path)
    return AVRSource(AVRProgram(image, name: path))
  }

  /// `stack.cpp`, which calls a function all the time, with an interrupt each millisecond.
  private static func timeline(
    _ path: String = "Tests/AVRTests/Debugged/stack-2.elf", milliseconds: Int64 = 20,
    isLive: Bool = false, inputsMax: Int = 100
  ) throws -> ChipTimeline {
    ChipTimeline(
      try source(path), Header(firmware: .guarded, duration: nil, title: nil), inputs: [],
      end: .zero + .milliseconds(milliseconds), isLive: isLive, memoryMax: 1 << 24,
      inputsMax: inputsMax)
  }

  static func run(_ timeline: inout ChipTimeline, _ how: ChipTimeline.Resume) -> ChipTimeline.Stop {
    timeline.resume(how)
    while true {
      if let stop = timeline.proceed(forAbout: 100_000) { return stop }
    }
  }

  @Test func `A session runs to its end and back to its begin`() throws {
    var timeline = try Self.timeline()
    let begin = timeline.device
    #expect(Self.run(&timeline, .run) == .end)
    #expect(timeline.now == .zero + .milliseconds(20))
    #expect(Self.run(&timeline, .run) == .end)
    #expect(Self.run(&timeline, .runBack) == .begin)
    #expect(timeline.device == begin)
    #expect(Self.run(&timeline, .stepBack) == .begin)
    #expect(Self.run(&timeline, .step) == .step)
    #expect(Self.run(&timeline, .stepBack) == .step)
    #expect(timeline.device == begin)
  }

  @Test func `To a position that was run through, it is not far`() throws {
    var timeline = try Self.timeline(milliseconds: 400)
    #expect(Self.run(&timeline, .run) == .end)
    let (cycle, end) = (timeline.cycle - 1_000, timeline.device)
    #expect(Self.run(&timeline, .to(cycle: 0)) == .step)
    timeline.resume(.to(cycle: cycle))
    #expect(timeline.proceed(forAbout: 1_000_000) == .step)
    #expect(Self.run(&timeline, .run) == .end && timeline.device == end)
  }

  @Test func `A sleeping chip is run through its whole session at once`() throws {
    // 160 million cycles, most of them asleep.
    var timeline = try Self.timeline("firmware/guarded/guarded.hex", milliseconds: 10_000)
    timeline.resume(.run)
    #expect(timeline.proceed(forAbout: 30_000_000) == .end)
    timeline.resume(.to(cycle: 80_000_000))
    #expect(timeline.proceed(forAbout: 1_000_000) == .step)
  }

  @Test func `A live session forgets its beginning if it has more inputs than are kept`() throws {
    var timelines = [
      try Self.timeline(milliseconds: 0, isLive: true, inputsMax: 8),
      try Self.timeline(milliseconds: 0, isLive: true),
    ]
    for index in timelines.indices {
      for number in 0..<20 as Range<Int64> {
        let time = Instant.zero + .milliseconds(30 * number)
        timelines[index].extend(to: time)
        timelines[index].resume(.run)
        while !timelines[index].isAtFrontier { _ = timelines[index].proceed(forAbout: 100_000) }
        if number == 8 {
          // An input that comes while the past is looked at is not before that.
          timelines[index].interrupt()
          _ = timelines[index].proceed(forAbout: 1)
          #expect(Self.run(&timelines[index], .to(cycle: 1_000_000)) == .step)
        }
        timelines[index].append(Event(time, .receive([UInt8(number)])))
        timelines[index].interrupt()
        _ = timelines[index].proceed(forAbout: 1)
      }
      timelines[index].finish(at: .zero + .milliseconds(600))
      #expect(Self.run(&timelines[index], .run) == .end)
    }
    let end = timelines[1].device
    #expect(timelines[0].device == end)
    #expect(Self.run(&timelines[0], .runBack) == .begin && timelines[0].cycle > 4_000_000)
    #expect(Self.run(&timelines[0], .run) == .end && timelines[0].device == end)
  }

  // MARK: Random walks

  /// A made-up program: interrupts of Timer 0 and USART0, calls, stores, wait loops and sleep.
  private static func program(_ random: inout SeededGenerator) -> [UInt16] {
    func pick(_ range: Range<UInt16>) -> UInt16 { .random(in: range, using: &random) }
    /// Harmless: in registers from R16 on, in 32 bytes of SRAM, and in general purpose registers.
    func some(_ count: UInt16) -> [UInt16] {
      (0..<count).flatMap { _ -> [UInt16] in
        let register = pick(0..<8)
        return switch pick(0..<13) {
        case 0: [0x9300 | register << 4, 0x0100 + pick(0..<32)]  // STS
        case 1: [0x9100 | register << 4, 0x0100 + pick(0..<32)]  // LDS
        case 2: [0x930F | register << 4, 0x910F | pick(0..<8) << 4]  // PUSH; POP
        case 3: [0x9AF0 | pick(0..<8)]  // SBI GPIOR0
        case 4: [0x99F0 | pick(0..<8), 0x9503]  // SBIC GPIOR0; INC R16
        case 5: [0xB70E | register << 4]  // IN from SPH
        case 6: [0xE0A0 | pick(0..<16), 0xE0B1, 0x930D]  // LDI XL; LDI XH, 1; ST X+
        case 7: [0xE0F1, 0xE0E0 | pick(0..<16), 0x8100 | register << 4]  // LDI Z; LD Z
        case 8: [0xB506 | register << 4]  // IN from TCNT0
        default: [0x0F00 | register << 4 | pick(0..<8)]  // ADD
        }
      }
    }
    let save: [UInt16] = [0x930F, 0xB70F, 0x930F]  // PUSH R16; IN R16, SREG; PUSH R16
    let restore: [UInt16] = [0x910F, 0xBF0F, 0x910F, 0x9518]  // and RETI
    var words = [UInt16](repeating: 0x9518, count: 52)
    func jump(from vector: Int) {
      words[vector] = 0xC000 | UInt16(words.count - vector - 1)
    }
    jump(from: 32)  // Overflow of Timer 0
    words += save + some(pick(0..<12)) + (pick(0..<3) == 0 ? [0x9478] : []) + some(3) + restore
    jump(from: 36)  // USART0 received
    words += save + [0x9100, 0x00C6] + some(pick(0..<4)) + restore
    let function = words.count
    words += some(pick(1..<6)) + [0x9508]
    jump(from: 0)
    words += [
      0xE001, 0x9300, 0x006E, 0xE000 | pick(1..<4), 0xBD05,  // TIMSK0 = 1; TCCR0B
      0xE908, 0x9300, 0x00C1, 0x9478,  // UCSR0B; SEI
      0xE001, 0xBF03,  // SMCR = 1: idle
    ]
    let loop = words.count
    for _ in 0..<pick(1..<8) {
      words += some(pick(0..<8))
      switch pick(0..<4) {
      case 0: words.append(0xD000 | UInt16(bitPattern: Int16(function - words.count - 1)) & 0xFFF)
      case 1: words += [0xE014 + pick(0..<8), 0x951A, 0xF7F1]  // LDI R17; DEC; BRNE
      case 2 where pick(0..<3) == 0: words.append(0x9588)  // SLEEP
      default: break
      }
    }
    words.append(0xC000 | UInt16(bitPattern: Int16(loop - words.count - 1)) & 0xFFF)
    return words
  }

  private static func walk(
    _ plain: PlainTimeline, steps: Int, memoryMax: Int, _ random: inout SeededGenerator,
    _ name: String
  ) {
    var timeline = plain.timeline(memoryMax: memoryMax)
    var index = 0
    var wanted = PlainTimeline.Wanted()
    for step in 0..<steps {
      func moment() -> PlainTimeline.Moment { plain.moments.randomElement(using: &random)! }
      if step % 4 == 0 {
        wanted = PlainTimeline.Wanted()
        wanted.stepsInto = Int.random(in: 0..<4, using: &random) == 0
        for _ in 0..<Int.random(in: 0..<3, using: &random) {
          wanted.breakpoints.insert(moment().pc)
        }
        for _ in 0..<Int.random(in: 0..<2, using: &random) {
          guard let access = moment().accesses.randomElement(using: &random) else { continue }
          let kinds: [ChipTimeline.Watchpoint.Kind] = [.write, .read, .access]
          wanted.watchpoints.append(
            .init(
              kinds.randomElement(using: &random)!,
              access.address..<access.address + .random(in: 1...3, using: &random)))
        }
        timeline.breakpoints = wanted.breakpoints
        timeline.watchpoints = wanted.watchpoints
        timeline.stepsIntoInterrupts = wanted.stepsInto
      }
      let pc = UInt32(timeline.programCounter)
      let how: ChipTimeline.Resume =
        switch Int.random(in: 0..<12, using: &random) {
        case 0, 1: .run
        case 2, 3: .step
        case 4: .range(pc..<pc + .random(in: 1...20, using: &random))
        case 5, 6: .runBack
        case 7, 8, 9: .stepBack
        case 10: .backToWrite(0x100..<0x100 + .random(in: 1...4, using: &random))
        default: .to(cycle: moment().cycle)
        }
      let cycles = [1, 100, 10_000, 1 << 40].randomElement(using: &random)!
      var stop: ChipTimeline.Stop?
      timeline.resume(how)
      while stop == nil { stop = timeline.proceed(forAbout: UInt64(cycles)) }
      let (next, wantedStop) = plain.resume(how, from: index, wanted)
      let label = "\(name), step \(step): \(how) from \(plain.moments[index].cycle), \(wanted)"
      guard stop == wantedStop, timeline.cycle == plain.moments[next].cycle else {
        let found = "\(stop!) at \(timeline.cycle)"
        Issue.record("\(label): \(found), not \(wantedStop) at \(plain.moments[next].cycle)")
        return
      }
      index = next
      guard timeline.device == plain.device(at: timeline.cycle) else {
        Issue.record("\(label): the board is different at \(timeline.cycle)")
        return
      }
    }
  }

  @Test(arguments: Seeds.first(12))
  func `Random programs do the same in any direction as at once`(seed: UInt64) throws {
    var random = SeededGenerator(seed: seed)
    var sketch = ChipSketch()
    sketch.words = Self.program(&random)
    let inputs = (0..<4).map {
      Event(.zero + .microseconds(300 * $0 + 13), .receive([UInt8(0x41 + $0), 0x42]))
    }
    let plain = PlainTimeline(
      AVRSource(try sketch.program), inputs: inputs,
      end: .zero + .microseconds([300, 900, 2_500][Int(seed % 3)]))
    Self.walk(
      plain, steps: 30, memoryMax: [0, 30_000, 1 << 24].randomElement(using: &random)!, &random,
      "seed \(seed)")
  }

  @Test(
    arguments: [
      "Tests/AVRTests/Debugged/stack-2.elf", "firmware/classic/classic.hex",
      "firmware/guarded/guarded.hex",
    ])
  func `Sketches do the same in any direction as at once`(path: String) throws {
    var random = SeededGenerator(seed: Seeds.start)
    let inputs = [
      Event(.zero + .milliseconds(3), .receive(Array("X90L".utf8))),
      Event(.zero + .milliseconds(5), .reset(.milliseconds(2))),
      Event(.zero + .milliseconds(7), .receive(Array("X10".utf8))),
    ]
    let plain = PlainTimeline(
      try Self.source(path), inputs: inputs, end: .zero + .milliseconds(10))
    Self.walk(plain, steps: 30, memoryMax: 1 << 24, &random, path)
  }
}
