import Sketches

private let step = Interval.nanoseconds(15_060_330)
private let clockWrap = Instant(nanoseconds: 4_294_967_296_000)

private func ascii(_ text: String) -> [UInt8] { Array(text.utf8) }

extension Breakage {
  /// Drops the bytes in a set.
  fileprivate static func deaf(
    to letters: String, when condition: @escaping @Sendable (Memory) -> Bool = { _ in true }
  ) -> Breakage {
    let letters = ascii(letters)
    return Breakage(arrive: { letters.contains($0) && condition($1) ? [] : [$0] })
  }

  /// Replaces a letter on arrival.
  fileprivate static func translating(
    _ letter: String, when condition: @escaping @Sendable (Memory) -> Bool,
    to text: @escaping @Sendable (Memory) -> String
  ) -> Breakage {
    let letter = ascii(letter)
    return Breakage(arrive: { byte, memory in
      byte == letter[0] && condition(memory) ? ascii(text(memory)) : [byte]
    })
  }

  /// Inserts something before the end of a number.
  fileprivate static func beforeEnd(
    _ text: @escaping @Sendable (UInt8, Memory) -> String?
  ) -> Breakage {
    Breakage(arrive: { byte, memory in
      guard memory.digits != nil, !(0x30...0x39 ~= byte), byte != 0xFF,
        let text = text(byte, memory)
      else { return [byte] }
      return ascii(text) + [byte]
    })
  }

  /// Shows the servo outputs after a scan's angle one step early.
  fileprivate static func oneStepLess(after angle: UInt8, _ step: Interval) -> Breakage {
    Breakage(show: { seen, memory in
      guard case .servo(let degrees, _, _) = seen.output, memory.activity.isScanning else {
        return [seen]
      }
      let moved = Seen(time: seen.time - memory.shift, output: seen.output)
      if degrees == angle { memory.shift = memory.shift + step }
      return [moved]
    })
  }

  /// Shows outputs later or earlier.
  fileprivate static func moving(
    by interval: Interval, _ isMoved: @escaping @Sendable (Output, Memory) -> Bool
  ) -> Breakage {
    Breakage(show: { seen, memory in
      isMoved(seen.output, memory)
        ? [Seen(time: seen.time + interval, output: seen.output)] : [seen]
    })
  }

  fileprivate static func timing(_ change: @escaping @Sendable (inout Timing) -> Void) -> Breakage {
    Breakage(timing: change)
  }

  fileprivate static func classic(_ dialect: (some NearlyClassic).Type) -> Breakage {
    Breakage(sketch: (.classic, sketch(of: dialect)))
  }

  fileprivate static func buzzer(_ dialect: (some NearlyBuzzer).Type) -> Breakage {
    Breakage(sketch: (.buzzer, sketch(of: dialect)))
  }

  private static func sketch<D: Dialect>(of _: D.Type) -> any Sketch.Type {
    BlockingSketch<D>.self
  }

  fileprivate static let talkative = Breakage(show: { seen, _ in
    [seen, Seen(time: seen.time, output: .transmit(UInt8(ascii: "!")))]
  })

  fileprivate static func isJunk(_ byte: UInt8, _ memory: Memory) -> Bool {
    if memory.digits != nil { return false }
    switch byte {
    case UInt8(ascii: "X"), UInt8(ascii: "L"): return false
    case UInt8(ascii: "T"), UInt8(ascii: "O"), UInt8(ascii: "C"): return memory.firmware == .classic
    case UInt8(ascii: "?"), UInt8(ascii: "V"): return memory.firmware != .guarded
    default: return true
    }
  }

  fileprivate static func isServo(_ output: Output) -> Bool { output.kind == .servo }

  /// The breakage of the model for each sentence of the README's table, by the sentence's mark.
  static let all: [String: Breakage] = [
    wire, receive, classic, classicScan, buzzer, servo, guarded,
  ]
  .reduce(into: [:]) { all, part in all.merge(part) { first, _ in first } }

  private static let wire: [String: Breakage] = [
    "W1": .deaf(to: "X"),
    "W2": .deaf(to: "L"),
    "W3": .deaf(to: "TOC"),
    "W4": .talkative,
    "W5": Breakage(hold: { _, memory in memory.now + .microseconds(1_100) }),
  ]

  private static let receive: [String: Breakage] = [
    "R1": Breakage(arrive: { byte, memory in memory.waitingCount >= 31 ? [] : [byte] }),
    "R2": Breakage(
      hold: { _, memory in max(memory.now, Instant.zero + .microseconds(999_900)) },
      keepsNewest: true),
    // Checking for a byte consumes it, so that it still ends the scan but is lost.
    "R3": Breakage(arrive: { byte, memory in
      memory.activity.isScanning && memory.waitingCount == 0 ? [1] : [byte]
    }),
    "R4": Breakage(arrive: { byte, memory in memory.baud == 9_600 ? [byte] : [] }),
    "R5": Breakage(hasBootloader: false),
    "R6": Breakage(keepsBootBytes: true),
    "R7": Breakage(keepsWaiting: true),
  ]

  private static let classic: [String: Breakage] = [
    "C1": .timing { $0.firstWrite = .milliseconds(1) },
    "C2": .timing { $0.startUp = .milliseconds(500) },
    "C3": Breakage(arrive: { byte, memory in
      memory.activity == .startingUp ? [] : [byte]
    }),
    "C4": .timing { $0.startUp = .microseconds(1_000_600) },
    "C5": .deaf(to: "L", when: { $0.activity == .idle }),
    "C6": .deaf(to: "X", when: { $0.activity == .idle }),
    "C7": .classic(ClassicWithoutPurge.self),
    // The purge continues for later bytes, as if it waited for them.
    "C8": Breakage(arrive: { byte, memory in
      if memory.count > 0 {
        memory.count -= 1
        return []
      }
      if memory.activity == .idle && isJunk(byte, memory) { memory.count = 2 }
      return [byte]
    }),
    "C9": Breakage(arrive: { byte, memory in
      memory.digits != nil && memory.now - memory.since > .milliseconds(250)
        ? [UInt8(ascii: "."), byte] : [byte]
    }),
    "C10": .beforeEnd { byte, _ in byte == UInt8(ascii: ".") ? nil : "." },
    "C11": Breakage(arrive: { byte, memory in
      byte == 0xFF && memory.digits != nil ? [0xFE] : [byte]
    }),
    "C12": Breakage(arrive: { byte, memory in
      0x80...0xFE ~= byte && memory.digits != nil ? [] : [byte]
    }),
    "C13": Breakage(arrive: { byte, memory in
      guard memory.digits != nil, 0x30...0x39 ~= byte else { return [byte] }
      let value = memory.value * 10 + Int(byte) - 0x30
      return value > 65_535 ? [] : [byte]
    }),
    "C14": .classic(ClassicThatClamps.self),
    "C15": .classic(ClassicThatRefuses180.self),
    "C16": .beforeEnd { _, memory in memory.digits == [] ? "999" : nil },
    "C17": .timing { $0.angleWrite = .microseconds(400) },
  ]

  private static let classicScan: [String: Breakage] = [
    "C18": Breakage(show: { seen, memory in
      if case .servo(let degrees, _, _) = seen.output, memory.activity.isScanning,
        !(25...155 ~= degrees)
      {
        return []
      }
      return [seen]
    }),
    "C19": .translating(
      "L", when: { !$0.activity.isScanning && $0.digits == nil }, to: { _ in "X20.L" }),
    "C20": .timing { $0.step = $0.step + $0.step },
    "C21": Breakage(arrive: { byte, memory in
      memory.activity.isScanning && isJunk(byte, memory) ? [] : [byte]
    }),
    "C22": .timing { $0.scanExit = .milliseconds(5) },
    "C23": .deaf(to: "L", when: { $0.activity.isScanning }),
    "C24": Breakage(arrive: { byte, memory in
      memory.activity.isScanning && isJunk(byte, memory) ? [UInt8(ascii: "L")] : [byte]
    }),
    "C25": Breakage(hold: { _, memory in
      memory.activity.isScanning ? memory.now + .milliseconds(16) : memory.now
    }),
    "C26": Breakage(arrive: { byte, memory in
      memory.activity.isScanning && memory.waitingCount >= 4 ? [] : [byte]
    }),
    "C27": .translating("L", when: { $0.degrees > 160 && $0.digits == nil }, to: { _ in "X159.L" }),
    "C28": .translating("L", when: { $0.degrees < 20 && $0.digits == nil }, to: { _ in "X20.L" }),
    "C29": .oneStepLess(after: 160, step),
    "C30": .timing { $0.step = .microseconds(15_000) },
    "C31": .oneStepLess(after: 20, step),
    "C32": .timing { $0.bottomTurn = .zero },
    "C33": .timing { $0.step = $0.step + .nanoseconds(500) },
    "C34": .timing { $0.angleRead = $0.angleRead + .microseconds(400) },
    "C35": .moving(by: -step) { output, memory in isServo(output) && memory.activity.isScanning },
    "C36": .timing { $0.scanExit = .microseconds(400) },
    "C37": .timing { $0.byteRead = .microseconds(40) },
  ]

  private static let buzzer: [String: Breakage] = [
    // Numbers and scans as in classic.
    "B1": .beforeEnd { byte, _ in byte == UInt8(ascii: ".") ? nil : "." },
    "B2": .buzzer(BuzzerWithPurge.self),
    "B3": .buzzer(BuzzerWithWrongT.self),
    "B4": .buzzer(BuzzerWithWrongO.self),
    "B5": .buzzer(BuzzerWithWrongC.self),
    "B6": .timing { $0.toneLength = .milliseconds(100) },
    "B7": .timing { $0.toneSetUp = .microseconds(600) },
    "B8": .buzzer(BuzzerWithoutAnnouncement.self),
    "B9": .timing { $0.aimToneSetUp = .milliseconds(160) },
    "B10": .timing { $0.aimToneSetUp = .zero },
    "B11": .buzzer(BuzzerThatChecksTheRange.self),
    "B12": .buzzer(BuzzerThatIgnoresNegatives.self),
    "B13": .buzzer(BuzzerThatIgnores181To543.self),
    "B14": .buzzer(BuzzerWithoutMicroseconds.self),
    "B15": .buzzer(BuzzerThatIgnoresOver2400.self),
    "B16": .deaf(to: "C"),
  ]

  private static let servo: [String: Breakage] = [
    "S1": .buzzer(BuzzerThatIgnores181To543.self),
    "S2": Breakage(show: { seen, _ in
      guard case .servo(let degrees, let pulse, _) = seen.output, pulse > 544 else { return [seen] }
      // Rounded, not truncated.
      let rounded = (UInt32(degrees) * 1_856 * 2 + 180) / 360 + 544
      return [
        Seen(
          time: seen.time, output: .servo(degrees: degrees, microseconds: UInt16(rounded)))
      ]
    }),
    "S3": .buzzer(BuzzerWithoutMicroseconds.self),
    // Without the added one.
    "S4": Breakage(show: { seen, _ in
      guard case .servo(_, let pulse, _) = seen.output else { return [seen] }
      let degrees = UInt8((UInt32(pulse) - 544) * 180 / 1_856)
      return [Seen(time: seen.time, output: .servo(degrees: degrees, microseconds: pulse))]
    }),
    "S5": .timing { $0.pulsePeriod = .milliseconds(20) },
    // As if the timer's first match were not blocked.
    "S6": .timing { $0.firstPulse = .microseconds(20_150) },
    "S7": Breakage(show: { seen, memory in
      guard case .pulse(let width, _) = seen.output else { return [seen] }
      let late = memory.width == 0 ? width : memory.width
      memory.width = width
      return [Seen(time: seen.time, output: .pulse(microseconds: late))]
    }),
    "S8": .timing { $0.pulsePeriod = .microseconds(15_060) },
    "S9": Breakage(show: { seen, _ in
      guard case .pulse(let width, _) = seen.output else { return [seen] }
      return [Seen(time: seen.time, output: .pulse(microseconds: width + 4))]
    }),
  ]

  private static let guarded: [String: Breakage] = [
    "G1": .timing { $0.firstWrite = .milliseconds(100) },
    "G2": .deaf(to: "TOC"),
    "G3": Breakage(hold: { byte, memory in
      ascii("TOC").contains(byte) ? memory.now : max(memory.now, memory.toneEnd)
    }),
    "G4": .timing { $0.byteRead = .microseconds(1_500) },
    "G5": .beforeEnd { byte, _ in ascii(".XL").contains(byte) ? nil : "." },
    "G6": .deaf(to: "X", when: { $0.digits != nil }),
    "G7": .deaf(to: "L", when: { $0.digits != nil }),
    "G8": Breakage(arrive: { byte, memory in
      memory.digits != nil && !(0x30...0x39 ~= byte) && !ascii(".XL").contains(byte) ? [] : [byte]
    }),
    "G9": Breakage(arrive: { byte, memory in
      guard let digits = memory.digits, 0x2E...0x39 ~= byte,
        memory.now - memory.since > .milliseconds(250)
      else { return [byte] }
      return ascii("X") + digits + [byte]
    }),
    "G10": Breakage(arrive: { byte, memory in
      guard let digits = memory.digits, 0x2E...0x39 ~= byte,
        memory.now - memory.previous <= .milliseconds(250)
      else { return [byte] }
      return ascii("X") + digits + [byte]
    }),
    "G11": Breakage(arrive: { byte, memory in
      0x30...0x39 ~= byte && (memory.digits?.count ?? 0) >= 3 ? [] : [byte]
    }),
    "G12": .beforeEnd { byte, memory in
      byte == UInt8(ascii: ".") && memory.value > 180 && memory.digits?.count == 3 ? "X180" : nil
    },
    "G13": .beforeEnd { byte, memory in
      byte == UInt8(ascii: ".") && memory.digits == [] ? "0" : nil
    },
    "G14": Breakage(arrive: { byte, memory in
      if memory.count > 0 {
        memory.count -= 1
        return []
      }
      if isJunk(byte, memory) { memory.count = 1 }
      return [byte]
    }),
    "G15": Breakage(arrive: { byte, memory in
      memory.activity.isScanning && isJunk(byte, memory)
        ? ascii("X\(memory.degrees).") + [byte] : [byte]
    }),
    "G16": .translating("L", when: { $0.activity.isScanning }, to: { "X\($0.degrees).L" }),
    "G17": .translating("X", when: { $0.activity.isScanning }, to: { "X\($0.degrees).X" }),
    "G18": Breakage(arrive: { byte, memory in
      let isAim =
        byte == UInt8(ascii: ".") && memory.value <= 180 && memory.digits?.isEmpty == false
      return isAim ? [byte, UInt8(ascii: "L")] : [byte]
    }),
    "G19": .oneStepLess(after: 160, .milliseconds(15)),
    "G20": Breakage(show: { seen, memory in
      guard isServo(seen.output), memory.activity.isScanning else { return [seen] }
      memory.shift = memory.shift + .microseconds(60)
      return [Seen(time: seen.time + memory.shift, output: seen.output)]
    }),
    "G21": .deaf(to: "TOC", when: { $0.now < $0.toneEnd }),
    "G22": .moving(by: .milliseconds(-3)) { output, _ in output == .tone(hertz: 900) },
    "G23": Breakage(show: { seen, _ in seen.output == .tone(hertz: 900) ? [] : [seen] }),
    "G24": .talkative,
    "G25": .deaf(to: "?"),
    "G26": Breakage(arrive: { byte, memory in
      guard byte == UInt8(ascii: "V") else { return [byte] }
      memory.count += 1
      return memory.count == 1 ? [byte] : []
    }),
    "G27": Breakage(show: { seen, _ in
      guard case .transmit(let byte) = seen.output, 0x61...0x66 ~= byte else { return [seen] }
      return [Seen(time: seen.time, output: .transmit(byte - 0x20))]
    }),
    "G28": Breakage(arrive: { byte, memory in
      byte == UInt8(ascii: "?") && memory.previousByte == byte ? [] : [byte]
    }),
    "G29": Breakage(hold: { byte, memory in
      memory.previousByte == UInt8(ascii: "?") ? memory.now + .milliseconds(40) : memory.now
    }),
    "G30": Breakage(show: { seen, _ in
      seen.time < clockWrap
        ? [seen] : [Seen(time: seen.time + .milliseconds(5), output: seen.output)]
    }),
    "G31": .translating(
      ".", when: { $0.value == 180 && $0.digits?.isEmpty == false }, to: { _ in "0." }),
    "G32": .moving(by: .milliseconds(2)) { output, _ in output.kind == .transmit },
  ]
}
