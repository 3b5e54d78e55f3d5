import AVR
import Guarded
import Sketches

/// Runs the guarded binary in parallel with the same Swift source on the host. At each call from
/// the C++ layer the host's machine gets the same arguments, and the chip must then do what the
/// host's machine decides.
struct GuardedWatch: ChipWatch {
  private enum Entry: CaseIterable {
    case begin, receive, tick, wait, lost, action, room, send

    var symbol: String { "sentry_\(self)" }
  }

  /// The value that a function must return, with the address and the stack pointer of its return.
  private struct Return {
    enum Value {
      case tick(Bool)
      case wait(UInt32)
      case room(for: Line)
    }

    var value: Value
    var address: UInt16
    var stackPointer: UInt16
  }

  /// One line that is being sent and one after it.
  private static let linesMax = 2

  private(set) var complaint: String?
  private let entries: [UInt16: Entry]
  private var host = GuardedSketch()
  /// A call of `sentry_action` that is expected.
  private var action: (pulse: UInt16, hertz: Int32)?
  /// A line whose room in the buffer the sketch is expected to check.
  private var next: Line?
  /// The lines to send, the current one first, and how many of its bytes have been sent.
  private var lines: [Line] = []
  private var sent: UInt8 = 0
  private var returns: [Return] = []

  init(_ symbols: SymbolList) throws {
    var entries: [UInt16: Entry] = [:]
    for entry in Entry.allCases { entries[try symbols[entry.symbol].lowerBound] = entry }
    self.entries = entries
  }

  func prepare(_ chip: inout ATmega328P) {}

  mutating func reset(into recorder: inout Recorder) {
    if host.numberSoFar != nil { recorder.abandonedNumber() }
    host = GuardedSketch()
    action = nil
    next = nil
    lines = []
    sent = 0
    returns = []
  }

  mutating func run(_ chip: inout ATmega328P, until target: UInt64, into recorder: inout Recorder) {
    while chip.run(until: target, before: Set(entries.keys).union(returns.map(\.address))) {
      if let last = returns.last, last.address == chip.programCounter,
        last.stackPointer == chip.stackPointer
      {
        returns.removeLast()
        check(last.value, chip)
      }
      if let entry = entries[chip.programCounter] { enter(entry, chip, &recorder) }
      chip.run(until: chip.cycle + 1)
    }
  }

  private mutating func enter(_ entry: Entry, _ chip: ATmega328P, _ recorder: inout Recorder) {
    switch entry {
    case .begin:
      host = GuardedSketch()
      carryOut(Action(degrees: host.degrees))
    case .receive: receive(chip, &recorder)
    case .tick:
      finish("sentry_tick", chip)
      let tick = host.tick(at: chip.value(UInt32.self, at: 22))
      if tick?.abandonsNumber == true { recorder.abandonedNumber() }
      if let tick { carryOut(tick.action) }
      expect(.tick(tick != nil), chip)
    case .wait:
      finish("sentry_wait", chip)
      let wait = host.microsecondsToDeadline(from: chip.value(UInt32.self, at: 22))
      expect(.wait(wait ?? .max), chip)
    case .lost: host.lostByte()
    case .action:
      let (pulse, hertz) = (chip.value(UInt16.self, at: 24), chip.value(Int32.self, at: 20))
      if action?.pulse != pulse || action?.hertz != hertz {
        complain(
          "sentry_action(\(pulse), \(hertz)), the host: \(action.map { "\($0)" } ?? "-")", chip)
      }
      action = nil
    case .room:
      guard let asked = next else { return complain("sentry_room out of turn", chip) }
      next = nil
      expect(.room(for: asked), chip)
    case .send: send(chip)
    }
  }

  private mutating func receive(_ chip: ATmega328P, _ recorder: inout Recorder) {
    finish("sentry_receive", chip)
    let wasSweeping = host.isSweeping
    let taken = host.receive(chip.value(UInt8.self, at: 24), at: chip.value(UInt32.self, at: 20))
    if taken.abandonsNumber { recorder.abandonedNumber() }
    let fate: Fate =
      switch taken.fate {
      case .letter: .letter
      case .digit: .digit
      case .terminator: .terminator
      case .junk: .junk
      case .abandoned: .abandoned
      }
    recorder.took(fate, at: chip.instant, endedScan: wasSweeping && !host.isSweeping)
    carryOut(taken.action)
  }

  private mutating func send(_ chip: ATmega328P) {
    let byte = chip.value(UInt8.self, at: 24)
    guard let speaking = lines.first else {
      return complain("sentry_send(\(byte)), the host: -", chip)
    }
    if byte != speaking.byte(at: sent) {
      let text = String(decoding: (0..<speaking.count).map { speaking.byte(at: $0) }, as: UTF8.self)
      complain("sentry_send(\(byte)), the host: byte \(sent) of \(text)", chip)
    }
    sent += 1
    if sent == speaking.count {
      lines.removeFirst()
      sent = 0
    }
  }

  private mutating func carryOut(_ action: Action) {
    let pulse = action.degrees.map { ServoPulse.microseconds(of: $0) } ?? 0
    let hertz = action.hertz.map { Int32($0) } ?? -1
    if pulse != 0 || hertz >= 0 { self.action = (pulse, hertz) }
    next = action.line
  }

  private mutating func expect(_ value: Return.Value, _ chip: ATmega328P) {
    returns.append(
      Return(value: value, address: chip.returnAddress, stackPointer: chip.stackPointer + 2))
  }

  private mutating func check(_ value: Return.Value, _ chip: ATmega328P) {
    switch value {
    case .tick(let expected):
      let told = chip.value(UInt8.self, at: 24) & 1 == 1
      if told != expected { complain("sentry_tick: \(told), the host: \(expected)", chip) }
    case .wait(let expected):
      let told = chip.value(UInt32.self, at: 22)
      if told != expected { complain("sentry_wait: \(told), the host: \(expected)", chip) }
    case .room(let asked):
      let needed = lines.reduce(Int(asked.count) - Int(sent)) { $0 + Int($1.count) }
      if Int(chip.value(UInt8.self, at: 24)) >= needed {
        lines.append(asked)
      } else {
        host.droppedLine()
      }
    }
  }

  /// All that the last call requested must have happened before the next call.
  private mutating func finish(_ call: String, _ chip: ATmega328P) {
    if let action { complain("\(call) before sentry_action\(action)", chip) }
    if next != nil { complain("\(call) before a line was accepted or dropped", chip) }
    if lines.count > Self.linesMax { complain("\(call) while \(lines.count) lines wait", chip) }
  }

  private mutating func complain(_ text: String, _ chip: ATmega328P) {
    guard complaint == nil else { return }
    complaint = "\(text), \(chip.instant.seconds) s"
  }
}
