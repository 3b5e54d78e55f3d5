import Devices
import Sketches
import Synchronization
import TestSupport
import Testing
import Traces

@testable import Judging

/// What a sender can rely on, measured on the models.
@Suite("Contracts") struct ContractTests {
  private static func contract(
    _ firmware: Firmware, speeds: [Int] = [9_600]
  ) throws -> DeviceContract {
    let commands = try #require(ContractCommands(Profile(firmware)))
    var search = ContractSearch(
      ModelSource(), firmware: firmware, commands: commands, speeds: speeds)
    let found = try search.run()
    return try #require(found)
  }

  /// Whether a length is another one, within one per cent.
  private static func isNear(_ length: Interval?, _ microseconds: Int64) -> Bool {
    guard let length else { return false }
    return (length - .microseconds(microseconds)).magnitude.nanoseconds * 100
      <= microseconds * 1_000
  }

  // The figures of the reference, of which the corpus is a record.
  @Test func `The figures of classic are those of its recordings, within 1 %`() throws {
    let contract = try Self.contract(.classic)
    let start = try #require(contract.start ?? nil)
    // Bytes wait from the board's start on. The first one takes effect after the start-up pause.
    #expect(start.obeyed == .zero)
    #expect(Self.isNear(start.acts, 1_000_270))
    // The servo is written 57 us after the last byte, measured to within 10 us.
    let idle = try #require(contract.idleLatency)
    #expect((idle - .microseconds(57)).magnitude <= .microseconds(10))
    // A step of a scan takes 15 060 us, and 48 us more at the bottom. A byte that has just missed
    // the look before a step waits for the next one, and is taken 15 to 18 us after it.
    let deaf = try #require(contract.deaf)
    #expect(deaf.after == Array("L".utf8))
    #expect(Self.isNear(deaf.length, 15_060 + 48 + 16))
    // The scan ends at the command's first byte, and the others arrive meanwhile: those of a short
    // command, `X5.`, in 2 084 us. The servo is written 57 us after the last.
    let latency = try #require(contract.latency)
    #expect(latency.after == Array("L".utf8))
    #expect(Self.isNear(latency.length, 13_097))
    let shown = try #require(contract.witnesses.first { $0.name == "latency" })
    #expect(shown.session.events.last?.kind == .receive(Array("X5.".utf8)))

    // A number blocks the sketch until a byte that is neither a digit nor 0xFF.
    let recovery = try #require(contract.recovery)
    #expect(recovery.silence == nil)
    let digits = UInt8(ascii: "0")...UInt8(ascii: "9")
    let ends = (UInt8.min...UInt8.max).filter { !digits.contains($0) && $0 != 0xFF }
    #expect(recovery.bytes == ends)
    #expect(recovery.resets)
    #expect(contract.isWhole)

    // Any byte ends a scan, and one that is not a command discards those that wait behind it.
    let others = (UInt8.min...UInt8.max).filter {
      $0 != UInt8(ascii: "X") && $0 != UInt8(ascii: "L")
    }
    #expect(contract.breaking == others)
    #expect(contract.stopping == others)
  }

  @Test func `guarded obeys at once, is never deaf for long, and survives any byte`() throws {
    let contract = try Self.contract(.guarded)
    let start = try #require(contract.start ?? nil)
    #expect(start.acts < .milliseconds(10))
    #expect(try #require(contract.deaf).length <= .milliseconds(1))
    #expect(try #require(contract.latency).length <= .milliseconds(2))
    // `X` or a letter inside a number begins a new command.
    #expect(contract.recovery?.silence == .zero)
    #expect(contract.breaking == [])
    #expect(contract.stopping == [])
    #expect(contract.paces.map(\.gap) == [.zero])
  }

  @Test func `buzzer is deaf during a tone, and junk costs it nothing but a scan`() throws {
    let contract = try Self.contract(.buzzer)
    let deaf = try #require(contract.deaf)
    #expect(["T", "O", "C"].map { Array($0.utf8) }.contains(deaf.after))
    // A tone blocks for 160 197 us. The next byte arrives 1 042 us after its letter.
    #expect(Self.isNear(deaf.length, 160_197 - 1_042))
    #expect(contract.breaking == [])
    #expect(contract.stopping?.isEmpty == false)
  }

  @Test func `Commands can be sent in bytes`() throws {
    func commands(_ form: String) throws -> ContractCommands? {
      ContractCommands(Profile(name: "p", commands: [try CommandForm(form)]))
    }
    let sums = try #require(try commands("0xAA {pan:u8 0..180} {sum}"))
    #expect(sums.long == [[0xAA, 170, 0x54], [0xAA, 175, 0x59]])
    #expect(sums.short == [[0xAA, 5, 0xAF], [0xAA, 9, 0xB3]])
    // A range that has all angles, and one that has other units.
    #expect(try commands("0xAA {pan:u8}")?.long == [[0xAA, 170], [0xAA, 175]])
    #expect(
      try commands("{us:1000..2800}\\n")?.short
        == [Array("1050\n".utf8), Array("1090\n".utf8)])
    #expect(try commands("{pan:-90..90}\\n")?.long[0] == Array("80\n".utf8))
    #expect(try commands("{pan:0..180},{tilt:0..180}\\n") == nil)
  }

  @Test func `What was measured before the search ended is known, and nothing else`() throws {
    let commands = try #require(ContractCommands(Profile(.classic)))
    /// The number of the figure during which the search ends.
    func contract(_ last: Int) throws -> DeviceContract {
      let count = Atomic(0)
      var search = ContractSearch(
        ModelSource(), firmware: .classic, commands: commands, speeds: [9_600, 115_200])
      let found = try search.run {
        count.load(ordering: .relaxed) > last
      } report: { _ in
        count.add(1, ordering: .relaxed)
      }
      return try #require(found)
    }
    let all = try contract(.max)
    #expect(all.isWhole && all.paces.count == 2)
    for last in 0..<9 {
      let part = try contract(last)
      #expect(!part.isWhole)
      // First the commands, the start and the idle sketch.
      #expect((part.start != nil) == (last > 1))
      #expect((part.idleLatency != nil) == (last > 2))
      #expect(part.idleLatency == nil || part.idleLatency == all.idleLatency)
      #expect(part.paces == Array(all.paces.prefix(part.paces.count)))
      #expect(part.recovery == nil || part.recovery == all.recovery)
      #expect(part.breaking == nil || part.breaking == all.breaking)
      for witness in part.witnesses where !["latency", "deaf"].contains(witness.name) {
        #expect(all.witnesses.contains(witness))
      }
    }
  }

  @Test func `A gap is safe, and one that is a microsecond shorter is not`() throws {
    let contract = try Self.contract(.classic, speeds: [9_600, 115_200, 1_000_000])
    #expect(contract.paces[0].gap == .zero)
    // 63 bytes wait during a step of a scan. At 115 200 baud more of them arrive.
    let step = 15_060.0
    for pace in contract.paces[1...] {
      let gap = try #require(pace.gap)
      #expect(gap > .zero)
      let period = Double(try #require(pace.period).nanoseconds) / 1_000
      // Of commands of five bytes, twelve wait whole and the thirteenth in part.
      #expect(period > step / 13 && period < step / 9, "\(pace)")
    }
    // The witness is a stream in which a command is not obeyed.
    let broken = try #require(contract.witnesses.first { $0.name == "gap-115200" })
    var model = Simulation(Model(.classic, baud: 115_200, showsPulses: false))
    var losses = 0
    for event in broken.session.events + [Event(broken.session.end, .mark("end"))] {
      while model.step(to: event.time) {
        losses += model.outputs.count { $0.output.kind == .lost }
      }
      model.feed(event)
    }
    #expect(losses > 0)
  }

  @Test func `Each witness is a session on the device, and the same search finds the same`() throws
  {
    let first = try Self.contract(.classic)
    let second = try Self.contract(.classic)
    #expect(first.witnesses == second.witnesses)
    #expect(Set(first.witnesses.map(\.name)).count == first.witnesses.count)
    #expect(
      ["start", "latency", "deaf", "recovery", "byte", "scan"].allSatisfy { name in
        first.witnesses.contains { $0.name == name && !$0.session.events.isEmpty }
      })
  }

  @Test func `A profile without a number has no contract`() {
    #expect(ContractCommands(Profile(name: "p", commands: [CommandForm([.byte(70)])])) == nil)
  }
}
