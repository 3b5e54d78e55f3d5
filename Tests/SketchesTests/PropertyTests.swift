import TestSupport
import Testing

@testable import Sketches

/// Invariants for any input.
@Suite struct PropertyTests {
  private static let seeds = Seeds.first(150)

  @Test(arguments: Firmware.allCases)
  func `The commanded angle stays in 0 to 180 and its pulse in 544 to 2400`(_ firmware: Firmware) {
    var count = 0
    for seed in Self.seeds {
      for seen in ModelRun(firmware, RandomStream(seed: seed)).outputs(.servo) {
        guard case .servo(let degrees, let pulse, _) = seen.output else { continue }
        count += 1
        #expect(degrees <= 180 && (544...2_400).contains(pulse), "seed \(seed)")
      }
    }
    #expect(count > Self.seeds.count)
  }

  @Test(arguments: Firmware.allCases)
  func `The same input gives the same events`(_ firmware: Firmware) {
    for seed in Self.seeds {
      let stream = RandomStream(seed: seed)
      let (a, b) = (ModelRun(firmware, stream), ModelRun(firmware, stream))
      #expect(a.outputs == b.outputs && a.ledger == b.ledger, "seed \(seed)")
    }
  }

  @Test(arguments: Firmware.allCases)
  func `Times never decrease`(_ firmware: Firmware) {
    for seed in Self.seeds {
      let times = ModelRun(firmware, RandomStream(seed: seed)).outputs.map(\.time)
      #expect(zip(times, times.dropFirst()).allSatisfy { $0 <= $1 }, "seed \(seed)")
    }
  }

  @Test(arguments: Firmware.allCases)
  func `Splitting an advance changes nothing`(_ firmware: Firmware) {
    for seed in Self.seeds {
      let stream = RandomStream(seed: seed)
      var generator = SeededGenerator(seed: seed ^ 0xABCD)
      var whole = Model(firmware, baud: 9_600, showsPulses: true)
      var parts = whole
      var (wholeRecord, partsRecord) = (Recorder(ledger: Ledger()), Recorder(ledger: Ledger()))
      var now = Instant.zero
      func advance(to end: Instant) {
        whole.advance(to: end, into: &wholeRecord)
        for _ in 0..<3 {
          let rest = (end - now).nanoseconds
          now += .nanoseconds(Int64.random(in: 0...max(0, rest), using: &generator))
          parts.advance(to: now, into: &partsRecord)
        }
        now = end
        parts.advance(to: end, into: &partsRecord)
      }
      for record in stream.records {
        let time = Instant(nanoseconds: Int64(record.time))
        advance(to: time)
        whole.send(record.bytes, at: time)
        parts.send(record.bytes, at: time)
      }
      advance(to: Instant(nanoseconds: Int64(stream.end)))
      #expect(whole == parts && wholeRecord == partsRecord, "\(firmware), seed \(seed)")
    }
  }

  @Test(arguments: Firmware.allCases)
  func `Nothing happens before the next deadline`(_ firmware: Firmware) {
    for seed in Self.seeds.prefix(40) {
      let stream = RandomStream(seed: seed)
      var model = Model(firmware, baud: 9_600, showsPulses: false)
      var recorder = Recorder(ledger: Ledger())
      for record in stream.records {
        let time = Instant(nanoseconds: Int64(record.time))
        while let deadline = model.nextDeadline, deadline < time {
          var early = model
          var nothing = recorder
          early.advance(to: deadline - .nanoseconds(1), into: &nothing)
          #expect(nothing == recorder, "\(firmware), seed \(seed)")
          model.advance(to: deadline, into: &recorder)
        }
        model.advance(to: time, into: &recorder)
        model.send(record.bytes, at: time)
      }
    }
  }

  @Test(arguments: Firmware.allCases)
  func `Every byte has exactly one fate, and its times fit that fate`(_ firmware: Firmware) {
    for seed in Self.seeds {
      let stream = RandomStream(seed: seed)
      let run = ModelRun(firmware, stream)
      #expect(run.ledger.map(\.byte) == stream.records.flatMap(\.bytes), "seed \(seed)")
      for entry in run.ledger {
        switch entry.fate {
        case .letter, .digit, .terminator, .swallowed, .skipped, .abandoned:
          #expect(entry.taken != nil && entry.command != nil, "seed \(seed)")
        case .junk, .purged:
          #expect(entry.taken != nil && entry.command == nil, "seed \(seed)")
        case .ringFull, .uartOverrun, .booting, .cleared, .waiting:
          #expect(entry.taken == nil && entry.command == nil, "seed \(seed)")
        case .parity, .taken, .arrived, .wireLost, .adapterLost:
          Issue.record("a model knows more, seed \(seed)")
        }
        if let taken = entry.taken { #expect(taken > entry.arrived, "seed \(seed)") }
      }
      let taken = run.ledger.compactMap(\.taken)
      #expect(zip(taken, taken.dropFirst()).allSatisfy { $0 < $1 }, "seed \(seed)")
      #expect(run.outputs(.lost).count == run.ledger.count { $0.fate == .ringFull })
    }
  }

  @Test
  func `Guarded never loses a valid command to junk before it`() {
    for seed in Self.seeds {
      var generator = SeededGenerator(seed: seed)
      let junk = (0..<Int.random(in: 1...80, using: &generator)).map { _ in
        UInt8.random(in: 0...255, using: &generator)
      }
      let angle = UInt8.random(in: 0...180, using: &generator)
      var model = Model(.guarded, baud: 9_600, showsPulses: false)
      var recorder = Recorder()
      model.send(junk + Array("X\(angle).".utf8), at: .zero + .milliseconds(1))
      model.advance(to: .zero + .seconds(2), into: &recorder)
      guard
        case .servo(let degrees, _, _) = recorder.outputs.last(where: { $0.output.kind == .servo })?
          .output
      else {
        Issue.record("no servo event")
        continue
      }
      #expect(degrees == angle, "seed \(seed): \(junk)")
    }
  }
}
