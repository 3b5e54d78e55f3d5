import Platform
import Sketches
import TestSupport

/// A made-up session of the real-time driver: what it is, and what other programs do, step by step.
struct LiveScript: Hashable, Sendable {
  var seed: UInt64
  var plan: Plan
  var steps: [Step]

  struct Plan: Hashable, Sendable {
    var firmware: Firmware
    /// When the session ends by itself, in microseconds; nil for never.
    var end: Int64?
    var hasPty = true
    var hasRemote = false
    var hasClient = false
    /// The command after `--`; nil for none.
    var command: Command?
    /// How long it can take, in microseconds; nil for any time.
    var commandLimit: Int64?
    /// Whether the trace is on standard output, and in a recording.
    var showsTrace = false
    var records = false
    /// How long opening the pty restarts the board, in microseconds; nil if it does not.
    var resetOnOpen: Int64?
    /// How many bytes the kernel keeps of what a program has written to the pty.
    var capacity = 4_096
  }

  struct Command: Hashable, Sendable {
    /// How long it runs by itself, in microseconds; nil for until it is ended.
    var lifetime: Int64?
    /// How it ends, as `waitpid` reports it.
    var status: CInt = 0
    var ignoresTermination = false
    var leavesAnother = false
  }

  /// Programs and clients are numbered from 0.
  enum Step: Hashable, Sendable {
    /// The clock advances, in microseconds.
    case pass(Int64)
    // A program at the pty.
    case opens(Int)
    case closes(Int)
    case writes(Int, String)
    case floods(Int, Int)
    case speed(Int, Int)
    case parity(Int)
    case claims(Int)
    case stalls(Int)
    case reads(Int)
    // A client of the port over TCP.
    case connects(Int)
    case sends(Int, String)
    case pours(Int, Int)
    case remoteSpeed(Int, Int)
    /// A value of RFC 2217's SET-CONTROL.
    case control(Int, UInt8)
    /// Half a command.
    case half(Int)
    /// Ends its direction, closes the connection, or resets it.
    case ends(Int)
    case leaves(Int)
    case resets(Int)
    case remoteStalls(Int)
    case remoteReads(Int)
    // A client that makes requests.
    case clientConnects(Int)
    case request(Int, String)
    case requests(Int, Int)
    case halfRequest(Int)
    case clientEnds(Int)
    case clientLeaves(Int)
    case clientResets(Int)
    case clientStalls(Int)
    case clientReads(Int)
    // The process, its command, and what it writes to.
    case signal(CInt)
    /// Stopped for this many microseconds, as by SIGSTOP.
    case stops(Int64)
    case commandEnds(CInt)
    case commandWrites(Int)
    case outputStalls, outputReads, outputCloses, diskIsFull, diskHasRoom
    case noDescriptors, descriptors

    var changesFormat: Bool {
      switch self {
      case .speed, .remoteSpeed, .control: true
      default: false
      }
    }
  }

  static let words = ["X45.", "X1", "20.", "L", "T", "?", "\n", "X9X10.", "~"]

  /// Makes up a script of about `count` steps.
  init(_ firmware: Firmware, seed: UInt64, count: Int = 120) {
    var generator = SeededGenerator(seed: seed)
    func pick<T>(_ items: [T]) -> T { items.randomElement(using: &generator)! }
    func chance(_ one: Int) -> Bool { Int.random(in: 0..<one, using: &generator) == 0 }
    var plan = Plan(firmware: firmware)
    plan.hasPty = !chance(4)
    plan.hasRemote = !plan.hasPty || chance(3)
    plan.hasClient = chance(2)
    func later() -> Int64 {
      .random(in: 1...pick([50_000, 1_000_000, 8_000_000]), using: &generator)
    }
    if chance(5) { plan.end = later() }
    if chance(2) {
      plan.command = Command(
        lifetime: chance(2) ? nil : later(),
        status: pick([0, 0, 256, 11]), ignoresTermination: chance(2), leavesAnother: chance(4))
      if chance(3) { plan.commandLimit = later() }
    }
    plan.showsTrace = chance(2)
    plan.records = chance(2)
    if chance(3) { plan.resetOnOpen = pick([0, 1_000, 900_000]) }
    plan.capacity = pick([64, 1_024, 4_096, 18_000])
    // With one speed and format, what is delivered can be counted.
    let keepsFormat = chance(2)
    var steps: [Step] = []
    while steps.count < count {
      if chance(2) { steps.append(.pass(Self.time(&generator))) }
      guard let step = Self.step(plan, &generator) else { continue }
      if !keepsFormat || !step.changesFormat { steps.append(step) }
    }
    self.seed = seed
    self.plan = plan
    self.steps = steps
  }

  init(_ plan: Plan, _ steps: [Step], seed: UInt64 = 0) {
    self.seed = seed
    self.plan = plan
    self.steps = steps
  }

  private static func time(_ generator: inout SeededGenerator) -> Int64 {
    let longest: Int64 = [0, 3, 1_042, 20_000, 200_000].randomElement(using: &generator)!
    return .random(in: 0...longest, using: &generator)
  }

  private static func step(_ plan: Plan, _ generator: inout SeededGenerator) -> Step? {
    func pick<T>(_ items: [T]) -> T { items.randomElement(using: &generator)! }
    func number(_ range: ClosedRange<Int>) -> Int { .random(in: range, using: &generator) }
    // Mostly the first one, so that others meet it.
    let who = pick([0, 0, 0, 1])
    switch number(0...99) {
    case 0...39:
      guard plan.hasPty else { return nil }
      switch number(0...39) {
      case 0...5: return .opens(who)
      case 6...7: return .closes(who)
      case 8: return .floods(who, number(1...6_000))
      case 9: return .speed(who, pick([2_400, 4_800, 115_200]))
      case 10...11: return .speed(who, 9_600)
      case 12: return .parity(who)
      case 13: return .claims(who)
      case 14: return .stalls(who)
      case 15...16: return .reads(who)
      default: return .writes(who, pick(words))
      }
    case 40...64:
      guard plan.hasRemote else { return nil }
      let client = pick([0, 0, 0, 1, 2])
      switch number(0...32) {
      case 0...5: return .connects(client)
      case 6: return .ends(client)
      case 7: return .leaves(client)
      case 8: return .resets(client)
      case 9...10: return .pours(client, number(1...9_000))
      case 11: return .remoteSpeed(client, pick([2_400, 4_800, 115_200]))
      case 12: return .remoteSpeed(client, 9_600)
      case 13: return .control(client, pick([5, 6, 8, 9]))
      case 14: return .half(client)
      case 15...16: return .remoteStalls(client)
      case 17...18: return .remoteReads(client)
      default: return .sends(client, pick(words))
      }
    case 65...84:
      guard plan.hasClient else { return nil }
      switch number(0...29) {
      case 0...4: return .clientConnects(who)
      case 5...6: return .clientEnds(who)
      case 7: return .clientLeaves(who)
      case 8: return .clientResets(who)
      case 9...10: return .clientStalls(who)
      case 11...12: return .clientReads(who)
      case 13: return .halfRequest(who)
      case 14...15: return .requests(who, number(1...(pick([30, 300, 3_000]))))
      default: return .request(who, request(&generator))
      }
    default:
      switch number(0...39) {
      case 0: return number(0...9) == 0 ? .signal(pick([2, 15])) : nil
      case 1: return .stops(.random(in: 1...1_500_000, using: &generator))
      case 2...3: return .signal(SIGCONT)
      case 4: return plan.command == nil ? nil : .commandEnds(pick([0, 256, 9]))
      case 5...12: return plan.command == nil ? nil : .commandWrites(number(1...2_000))
      case 13...14: return .outputStalls
      case 15...18: return .outputReads
      case 19: return number(0...9) == 0 && plan.showsTrace ? .outputCloses : nil
      case 20: return plan.records ? .diskIsFull : nil
      case 21...23: return plan.records ? .diskHasRoom : nil
      case 24: return .noDescriptors
      case 25...29: return .descriptors
      default: return nil
      }
    }
  }

  private static func request(_ generator: inout SeededGenerator) -> String {
    func pick<T>(_ items: [T]) -> T { items.randomElement(using: &generator)! }
    switch Int.random(in: 0...29, using: &generator) {
    case 0...11: return #""do": "send", "bytes": "\#(pick(["X45.", "L", "X1", "20.", "?"]))""#
    case 12: return #""do": "subscribe""#
    case 13: return #""do": "unsubscribe""#
    case 14...17: return #""do": "state""#
    case 18...19: return #""do": "counts""#
    case 20: return #""do": "hello", "version": 1, "ends": false"#
    case 21: return #""do": "nonsense""#
    case 22: return #""do": "ready""#
    case 23...25: return #""do": "expect", "rule": {"servo": 120}, "patience": 0.5"#
    case 26: return #""do": "expect", "rule": {"never": ["junk"]}, "patience": 0.2"#
    case 27: return #""do": "speed", "baud": 9600"#
    case 28: return #""do": "plot""#
    default: return #""do": "events", "max": 10"#
    }
  }

  /// Whether a speed is set, or a break, which garble what is received.
  var changesFormat: Bool { steps.contains(where: \.changesFormat) }

  /// What is wrong with the session; nil if nothing is.
  var flaw: String? { LiveWorld.flaw(of: self) }

  /// The fewest of its steps that still show a flaw.
  func shrunk() -> LiveScript {
    var least = self
    var attempts = 120
    var size = max(1, steps.count / 2)
    while true {
      var start = 0
      while start < least.steps.count {
        var fewer = least
        fewer.steps.removeSubrange(start..<min(start + size, fewer.steps.count))
        attempts -= 1
        guard attempts > 0 else { return least }
        if fewer.flaw != nil { least = fewer } else { start += size }
      }
      if size == 1 { return least }
      size /= 2
    }
  }
}

// As Swift, so that a failure can be pasted into a test.
extension LiveScript: CustomStringConvertible {
  var description: String {
    let lines = steps.map { "    .\($0)," }.joined(separator: "\n")
    let plan = "\(plan)".replacing("Plan(firmware: Turret.Firmware", with: ".init(firmware: ")
    return "LiveScript(\n  \(plan),\n  [\n\(lines)\n  ], seed: \(seed))"
  }
}
