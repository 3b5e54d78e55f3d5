import Devices
import Judging
import Sketches
import TestSupport
import Traces

@testable import Engine

/// A made-up session: what it is, and what happens to it, step by step.
struct Script: Hashable, Sendable {
  var plan: Plan
  var steps: [Step]

  struct Plan: Hashable, Sendable {
    var firmware: Firmware
    /// When the session ends by itself, in microseconds; nil for never.
    var end: Int64?
    /// How long its command can take, in microseconds; nil for any time.
    var commandLimit: Int64?
    var hasNetwork = false
    /// Whether the network's bytes are passed on unchanged, whether its latest client controls the
    /// turret, and how that is left.
    var isRaw = false
    var control = ControlPolicy.first
    var onDisconnect = DisconnectAction.hold
    var rejoins = false
    var hasClient = false
    /// The rules that judge it, as JSON.
    var rules: [String] = []
    /// How long opening the pty restarts the board, in microseconds; nil if it does not.
    var resetOnOpen: Int64?
    /// Whether every input and every piece of time is given in more, smaller pieces of time.
    var isSliced = false
    /// The faults on the sender's line.
    var faults: [String] = []

    var faultPlan: FaultPlan? {
      let specs = faults.flatMap { (try? FaultSpec.parse($0)) ?? [] }
      return specs.isEmpty ? nil : FaultPlan(specs, seed: 5)
    }
  }

  enum Step: Hashable, Sendable {
    /// The clock advances, in microseconds.
    case pass(Int64)
    case bytes(String, SessionLink)
    /// A sender writes a byte this many times.
    case flood(Int)
    case speed(Int, SessionLink)
    case format(String, SessionLink)
    case breakBegins, breakEnds, dtr, opens, closes
    /// A request of the client, without its id.
    case request(String)
    /// The client leaves, or stops and resumes reading.
    case leaves
    case stalls, resumes
    case signal(CInt)
    case key, commandEnds
    case unplug, plug
    /// A client of the network joins, sends something, sends one byte many times, or goes.
    case joins(Int, Transport)
    case says(String, Int)
    case pours(Int, Int)
    case goes(Int)
    /// The user keeps a moment, and goes back to the last one.
    case keep, rewind
  }

  /// Makes up a script of about `count` steps.
  init(_ firmware: Firmware, seed: UInt64, count: Int = 240) {
    var generator = SeededGenerator(seed: seed)
    func pick<T>(_ items: [T]) -> T { items.randomElement(using: &generator)! }
    func chance(_ one: Int) -> Bool { Int.random(in: 0..<one, using: &generator) == 0 }
    var plan = Plan(firmware: firmware)
    if chance(4) { plan.end = .random(in: 1...15_000_000, using: &generator) }
    if chance(4) { plan.commandLimit = .random(in: 1...15_000_000, using: &generator) }
    plan.hasNetwork = chance(2)
    plan.isRaw = plan.hasNetwork && chance(4)
    if chance(3) { plan.control = .latest }
    plan.onDisconnect = pick(DisconnectAction.allCases)
    plan.rejoins = !chance(4)
    plan.hasClient = chance(2)
    if chance(3) { plan.rules = [pick(Self.rules)] }
    if chance(3) { plan.resetOnOpen = pick([0, 1_000, 900_000]) }
    if chance(3) {
      plan.faults = [pick(Self.faults)]
      if chance(2) { plan.faults.append(pick(Self.faults)) }
    }
    var steps: [Step] = []
    while steps.count < count {
      if chance(2) { steps.append(.pass(Self.time(&generator))) }
      steps.append(Self.step(plan, &generator))
    }
    self.plan = plan
    self.steps = steps
  }

  init(_ plan: Plan, _ steps: [Step]) {
    self.plan = plan
    self.steps = steps
  }

  static let rules = [
    #"{"never": ["junk"]}"#, #"{"servo": 45, "within": "50ms", "of": "X45."}"#,
    #"{"ends": {"servo": 90}}"#, #"{"servo": 120}"#, #"{"quiet": "500ms"}"#,
  ]

  static let faults = [
    "drop:5%", "dup:5%", "burst:1%", "flip:1e-2", "noise:3/s", "clock:+3%±1%", "cut:4",
    "merge:20ms", "delay:5ms±3ms", "stall:300ms,every=1s", "net:jitter=30ms", "reset:0.2/s",
    "unplug:500ms,every=2s", "adapter:ft232r", "adapter:hm-10,loss=5%", "adapter:bridge",
    "mix:long-cheap-cable",
  ]

  private static let words = ["X45.", "X1", "20.", "L", "T", "?", "\r\n", "X9X10.", "\u{7F}~"]

  private static func time(_ generator: inout SeededGenerator) -> Int64 {
    let longest: Int64 = [0, 3, 1_042, 20_000, 300_000].randomElement(using: &generator)!
    return .random(in: 0...longest, using: &generator)
  }

  private static func step(_ plan: Plan, _ generator: inout SeededGenerator) -> Step {
    func pick<T>(_ items: [T]) -> T { items.randomElement(using: &generator)! }
    func chance(_ one: Int) -> Bool { Int.random(in: 0..<one, using: &generator) == 0 }
    let sender: SessionLink = pick([.pty, .pty, .remote])
    switch Int.random(in: 0..<100, using: &generator) {
    case 0...2: return .speed(pick([300, 1_200, 4_800, 9_700, 115_200, 3_000_000]), sender)
    case 3...5: return .speed(9_600, sender)
    case 6...7: return .format(pick(["7E1", "8N2", "5N1"]), sender)
    case 8...9: return .format("8N1", sender)
    case 10: return .breakBegins
    case 11...13: return .breakEnds
    case 14...15: return .dtr
    case 16...18: return .opens
    case 19...20: return .closes
    case 21...22: return .unplug
    case 23...26: return .plug
    case 27...28 where plan.hasNetwork:
      return .joins(.random(in: 1...3, using: &generator), pick([.webSocket, .tcp]))
    case 38 where plan.hasNetwork: return .goes(.random(in: 1...3, using: &generator))
    case 33 where plan.hasNetwork && chance(2):
      // Rarely more than can wait.
      let most = chance(20) ? 90_000 : 3_000
      return .pours(.random(in: 1...most, using: &generator), .random(in: 1...3, using: &generator))
    case 39...64 where plan.hasNetwork && chance(plan.hasClient ? 2 : 1):
      return .says(pick(words), .random(in: 1...3, using: &generator))
    case 29...31: return .keep
    case 32: return .rewind
    case 33: return .flood(.random(in: 1...3_000, using: &generator))
    case 34: return .stalls
    case 35...36: return .resumes
    case 37 where Int.random(in: 0..<20, using: &generator) == 0:
      return pick([.signal(15), .key, .commandEnds])
    case 38: return .leaves
    case 39...69 where plan.hasClient: return .request(request(&generator))
    default: return .bytes(pick(words), sender)
    }
  }

  private static func request(_ generator: inout SeededGenerator) -> String {
    func pick<T>(_ items: [T]) -> T { items.randomElement(using: &generator)! }
    let later = Int.random(in: 0...12, using: &generator)
    switch Int.random(in: 0..<60, using: &generator) {
    case 0...19: return #""do": "send", "bytes": "\#(pick(["X45.", "L", "X1", "20.", "?"]))""#
    case 20...24: return #""do": "send", "bytes": "X120.", "at": \#(later).25"#
    case 25: return #""do": "speed", "baud": \#(pick([4_800, 9_600]))"#
    case 26: return #""do": "format", "format": "\#(pick(["7E1", "8N1"]))""#
    case 27: return #""do": "break", "seconds": 0.01"#
    case 28: return #""do": "lines", "dtr": \#(pick(["true", "false"]))"#
    case 29: return #""do": "reset", "dead": 0"#
    case 30...39: return #""do": "expect", "rule": \#(pick(rules)), "patience": 0.\#(later)"#
    case 40...43: return #""do": "state""#
    case 44...45: return #""do": "counts""#
    case 46: return #""do": "events", "max": 10"#
    case 47: return #""do": "subscribe""#
    case 48: return #""do": "unsubscribe""#
    case 49: return #""do": "ready""#
    case 50: return #""do": "hello", "version": 1, "ends": \#(pick(["true", "false"]))"#
    case 51: return #""do": "nonsense""#
    case 52: return #""do": "run", "until": 3"#
    case 53: return #""do": "set", "pin": "D2", "level": 1"#
    case 54: return #""do": "plot""#
    case 55 where later == 0: return #""do": "end""#
    default: return #""do": "send", "bytes": "X9", "at": 0"#
    }
  }

  /// What is wrong with the session; nil if nothing is.
  var flaw: String? {
    var world = World(plan)
    for step in steps where !world.isOver {
      world.perform(step)
      if let flaw = world.flaw { return flaw }
    }
    world.finish()
    if let flaw = world.flaw { return flaw }
    guard plan.isSliced else { return nil }
    var whole = plan
    whole.isSliced = false
    var other = World(whole)
    for step in steps where !other.isOver { other.perform(step) }
    other.finish()
    return other.events == world.events ? nil : "slices of time changed the events"
  }

  /// The fewest of its steps that still show a flaw.
  func shrunk() -> Script { Self.shrunk(self) { $0.flaw != nil } }

  /// Leaves out pieces, then single steps, as long as what remains is still flawed. It ends after
  /// some hundred attempts, because a session that does not end takes long.
  static func shrunk(_ script: Script, while isFlawed: (Script) -> Bool) -> Script {
    var least = script
    var attempts = 400
    var size = max(1, script.steps.count / 2)
    while true {
      var start = 0
      while start < least.steps.count {
        var fewer = least
        fewer.steps.removeSubrange(start..<min(start + size, fewer.steps.count))
        attempts -= 1
        guard attempts > 0 else { return least }
        if isFlawed(fewer) { least = fewer } else { start += size }
      }
      if size == 1 { return least }
      size /= 2
    }
  }
}

// As Swift, so that a failure can be pasted into a test.
extension Script: CustomStringConvertible {
  var description: String {
    let lines = steps.map { "    \($0)," }.joined(separator: "\n")
    return "Script(\n  .\(plan),\n  [\n\(lines)\n  ])"
  }
}

extension Script.Plan: CustomStringConvertible {
  var description: String {
    var parts = ["firmware: .\(firmware)"]
    if let end { parts.append("end: \(end)") }
    if let commandLimit { parts.append("commandLimit: \(commandLimit)") }
    if hasNetwork { parts.append("hasNetwork: true") }
    if isRaw { parts.append("isRaw: true") }
    if control != .first { parts.append("control: .\(control)") }
    if onDisconnect != .hold { parts.append("onDisconnect: .\(onDisconnect)") }
    if rejoins { parts.append("rejoins: true") }
    if hasClient { parts.append("hasClient: true") }
    if !rules.isEmpty { parts.append("rules: \(rules)") }
    if let resetOnOpen { parts.append("resetOnOpen: \(resetOnOpen)") }
    if isSliced { parts.append("isSliced: true") }
    if !faults.isEmpty { parts.append("faults: \(faults)") }
    return "init(\(parts.joined(separator: ", ")))"
  }
}

extension Script.Step: CustomStringConvertible {
  var description: String {
    switch self {
    case .pass(let time): ".pass(\(time))"
    case .bytes(let text, let sender): ".bytes(\(text.debugDescription), .\(sender))"
    case .flood(let count): ".flood(\(count))"
    case .speed(let baud, let sender): ".speed(\(baud), .\(sender))"
    case .format(let format, let sender): ".format(\"\(format)\", .\(sender))"
    case .request(let text): ".request(#\"\(text)\"#)"
    case .signal(let number): ".signal(\(number))"
    case .joins(let client, let transport): ".joins(\(client), .\(transport))"
    case .says(let text, let client): ".says(\(text.debugDescription), \(client))"
    case .pours(let count, let client): ".pours(\(count), \(client))"
    case .goes(let client): ".goes(\(client))"
    case .breakBegins: ".breakBegins"
    case .breakEnds: ".breakEnds"
    case .dtr: ".dtr"
    case .opens: ".opens"
    case .closes: ".closes"
    case .leaves: ".leaves"
    case .stalls: ".stalls"
    case .resumes: ".resumes"
    case .key: ".key"
    case .commandEnds: ".commandEnds"
    case .unplug: ".unplug"
    case .plug: ".plug"
    case .keep: ".keep"
    case .rewind: ".rewind"
    }
  }
}
