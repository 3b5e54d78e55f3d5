import AVR

/// Addresses in a build of the guarded sketch without symbols, found by their behaviour.
struct Landmarks {
  struct NotFound: Error {
    var what: String
    var candidates: [UInt16]
  }

  /// The address of the receive ring's tail. Only the main loop writes it, when it takes a byte.
  let tail: UInt16
  /// The byte address of the main loop's first instruction, which feeds the watchdog.
  let loop: UInt16

  init(of image: ProgramImage) throws {
    loop = try Self.findLoop(ATmega328P(flash: image.flash), image.words)
    tail = try Self.findTail(ATmega328P(flash: image.flash))
  }

  func isTaking(_ event: TimedChipEvent) -> Bool {
    if case .stored(_, at: tail) = event.event { return true }
    return false
  }

  /// The instruction that resets the watchdog in an idle sketch.
  private static func findLoop(_ chip: ATmega328P, _ words: [UInt16]) throws -> UInt16 {
    var chip = chip
    let start: UInt64 = 100_000
    chip.run(until: start)
    var feeds: Set<UInt16> = []
    while chip.cycle < 2 * start {
      if words[Int(chip.programCounter) / 2] == 0x95A8 { feeds.insert(chip.programCounter) }
      chip.run(until: chip.cycle + 1)
    }
    guard feeds.count == 1, let loop = feeds.first else {
      throw NotFound(what: "the main loop", candidates: feeds.sorted())
    }
    return loop
  }

  /// Sends more meaningless bytes than the ring has room for. Two addresses count them and wrap at
  /// 64: the head, which the interrupt writes, and then the tail.
  private static func findTail(_ chip: ATmega328P) throws -> UInt16 {
    let count = 70
    var chip = chip
    chip.watch(0x100..<0x800)
    chip.run(until: 1_000_000)
    var stores: [UInt16: [(cycle: UInt64, value: UInt8)]] = [:]
    _ = chip.takeEvents()
    for _ in 0..<count {
      chip.receive(UInt8(ascii: "j"))
      chip.run(until: chip.cycle + 40_000)
      for event in chip.takeEvents() {
        if case .stored(let value, let address) = event.event {
          stores[address, default: []].append((event.cycle, value))
        }
      }
    }
    let counters = stores.filter { _, stores in
      stores.count == count
        && zip(stores, stores.dropFirst()).allSatisfy { $1.value == ($0.value + 1) % 64 }
    }
    .sorted { $0.value[0].cycle < $1.value[0].cycle }.map(\.key)
    guard counters.count == 2 else {
      throw NotFound(what: "the receiving ring's ends", candidates: counters)
    }
    return counters[1]
  }
}
