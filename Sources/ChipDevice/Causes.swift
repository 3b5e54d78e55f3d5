import AVR
import Devices
import Sketches
import Traces

/// Says in words what the processor did in a recorded run.
///
/// It names the functions that the program's file shows, and says nothing where it is not certain.
struct Causes: Sendable {
  /// The longest period for which it is looked what the program did.
  private static let periodMax = Interval.seconds(10)
  /// Functions that waiting loops call, and that do not say what is waited for.
  private static let timers: Set<String> = ["micros", "millis", "yield"]
  private static let namesMax = 4
  /// Fewer samples say little about what the program did.
  private static let samplesMin: UInt64 = 8
  /// How the compiler names interrupt handlers, and avr-libc their table.
  private static let handler = "__vector"
  private static let timer1CompareA: UInt8 = 11

  private let map: SourceMap
  /// The file of the sketch; empty if it is not known.
  private let sketch: String
  private let clock: ChipClock
  private let limits: PulseLimits
  /// The changes of pins that have not been compared, in order of time.
  private var edges: [RunRecord.Edge] = []
  /// The last rising edge on each Arduino pin.
  private var rises = [RunRecord.Edge?](repeating: nil, count: Findings.pinCount)
  /// The calls of the program, while its events are read.
  private var tree = CallTree()

  init(_ map: SourceMap, _ clock: ChipClock, _ limits: PulseLimits) {
    self.map = map
    let loop = map.function(named: "loop").first?.lowerBound
    sketch = loop.flatMap { map.places(at: $0).first { $0.function == "loop" }?.file } ?? ""
    self.clock = clock
    self.limits = limits
  }

  /// Takes what a recorded run has shown since the last call. `forget` must follow, so that the
  /// chip's tree of calls is not copied.
  mutating func read(_ new: [RunRecord.Edge], _ tree: CallTree) {
    edges += new
    self.tree = tree
  }

  /// Forgets the tree, and the edges whose events have been read.
  mutating func forget(before cycle: UInt64) {
    tree = CallTree()
    edges.removeAll { $0.cycle < cycle }
  }

  // MARK: Twitches

  mutating func rise(of pin: Int, at cycle: UInt64) { rises[pin] = edge(of: pin, at: cycle) }

  private func edge(of pin: Int, at cycle: UInt64) -> RunRecord.Edge? {
    edges.first { $0.cycle == cycle && $0.pin.arduino == pin }
  }

  /// Returns why a pulse that ended at a cycle was not as stored: its end was late because the
  /// servo library's interrupt was, or something else made one of its edges.
  func why(_ twitch: Twitch, on pin: Int, at cycle: UInt64) -> String? {
    guard let fall = edge(of: pin, at: cycle) else { return nil }
    for edge in [rises[pin], fall] {
      guard let edge, edge.vector != Self.timer1CompareA else { continue }
      return text(of: edge.place) + " changed \(twitch.pin.name) itself"
    }
    guard let delay = fall.delay, let blocker = delay.blocker,
      abs(limits.microseconds(delay.length) - Double(twitch.difference)) <= limits.twitch
    else { return nil }
    return text(of: blocker)
  }

  // MARK: Interrupts off

  /// `show (strip.ino:12) kept interrupts off for 1.04 ms`
  func text(of stretch: RunRecord.Stretch) -> String {
    let length = String(readable: rounded(clock.instant(of: stretch.end), since: stretch.begin))
    let subject =
      stretch.vector == nil
      ? text(of: stretch.start) : text(of: stretch.most ?? stretch.start)
    return stretch.isOver
      ? "\(subject) kept interrupts off for \(length)"
      : "\(subject) has kept interrupts off for \(length) so far"
  }

  /// To the nearest hundredth of a millisecond, or microsecond if it is short.
  private func rounded(_ end: Instant, since begin: UInt64) -> Interval {
    let length = (end - clock.instant(of: begin)).nanoseconds
    let grain: Int64 = length < 1_000_000 ? 1_000 : 10_000
    return .nanoseconds((length + grain / 2) / grain * grain)
  }

  func length(_ cycles: UInt64) -> Interval {
    let end = clock.instant(of: clock.origin + cycles)
    return .nanoseconds((end - clock.instant(of: clock.origin)).nanoseconds / 1_000 * 1_000)
  }

  // MARK: Places

  private enum Step: Hashable {
    case function(SourcePlace)
    case interrupt(UInt8)
  }

  /// The functions at a place, the outermost first, each with its line there; an interrupt stands
  /// before the functions that it called.
  private func steps(to place: RunRecord.Place) -> [Step] {
    var steps: [Step] = []
    /// What the last call entered.
    var called: SourcePlace?
    func add(_ pc: UInt16) {
      let places = map.places(at: UInt32(pc))
      // A function jumps to another one if the call is the last thing that it does.
      if var called, let outer = places.last, outer.function != called.function {
        called.line = 0
        steps.append(.function(called))
      }
      steps += places.reversed().map { Step.function($0) }
    }
    for call in tree.calls(to: place.node) {
      add(call.site)
      called = call.vector == nil ? map.places(at: UInt32(call.entry)).last : nil
      if let vector = call.vector { steps.append(.interrupt(vector)) }
    }
    add(place.pc)
    return steps
  }

  /// `recv in handle_interrupt in the interrupt PCINT2 (SoftwareSerial.cpp:227)`
  private func text(of place: RunRecord.Place) -> String {
    let steps = steps(to: place)
    let last = steps.lastIndex {
      if case .interrupt = $0 { true } else { false }
    }
    let inner = steps[(last.map { $0 + 1 } ?? 0)...].compactMap {
      if case .function(let place) = $0 { place } else { nil }
    }
    guard let last, case .interrupt(let vector) = steps[last] else {
      let names = names(inner)
      guard names.isEmpty else { return names }
      return "the code at 0x" + String(place.pc, radix: 16, digits: 4, uppercase: true)
    }
    let interrupt = "the interrupt \(Self.name(of: vector))"
    var called = inner.filter { !$0.function.utf8.starts(with: Self.handler.utf8) }
    while called.count > 1, called.last.map(Self.isPart) == true { called.removeLast() }
    guard let innermost = called.last else {
      return interrupt + Self.line(inner.last)
    }
    let functions = called.suffix(Self.namesMax - 1).reversed().map { $0.function }
    return functions.joined(separator: " in ") + " in " + interrupt + Self.line(innermost)
  }

  /// The names of functions, of which the outermost is first: the innermost, and those that called
  /// it up to the sketch's own. The line is the sketch's.
  private func names(_ functions: [SourcePlace]) -> String {
    var names: [String] = []
    for place in functions.reversed() {
      if names.isEmpty, Self.isPart(place), functions.count > 1 { continue }
      if !names.isEmpty, place.function == "main" { break }
      let isOwn = !sketch.isEmpty && sketch == place.file
      names.append(isOwn ? place.text : place.function)
      // What calls main is not the program's.
      if isOwn || place.function == "main" || names.count == Self.namesMax { break }
    }
    return names.joined(separator: " in ")
  }

  /// Whether a function is what the macros and delays of the core and of avr-libc are made of.
  private static func isPart(_ place: SourcePlace) -> Bool {
    let name = place.function.utf8
    return name.starts(with: "__".utf8) || name.starts(with: "_delay_loop_".utf8)
  }

  private static func line(_ place: SourcePlace?) -> String {
    guard let place, place.line > 0 else { return "" }
    return " (\(place.fileName):\(place.line))"
  }

  // MARK: Faults

  /// What a program did that a correct one does not, and where: a sentence without its full stop.
  func text(
    of fault: MemoryFault, at place: RunRecord.Place, _ record: RunRecord
  ) -> (RunNote.MemoryFault, String) {
    var causes = self
    causes.tree = record.tree
    func name(_ address: UInt32) -> String {
      let number = "0x" + String(address, radix: 16, digits: 4, uppercase: true)
      return map.places(at: address).last.map { "\(number), in \($0.text)" } ?? number
    }
    let subject = causes.text(of: place)
    switch fault {
    case .stack(let isInHeap):
      let neighbour = isInHeap ? "heap" : "variables"
      return (.stack, "the stack has grown into the \(neighbour), in \(subject)")
    case .jump(let target):
      return (.jump, "the program jumped out of its code, to \(name(target)), from \(subject)")
    case .wrongReturn(let target, let writer):
      let cause = writer.map { causes.text(of: $0) + " wrote over its return address" }
      return (
        .wrongReturn,
        "\(subject) returns to \(name(UInt32(target))): "
          + (cause ?? "what it takes from the stack is not its return address")
      )
    case .nested(let vector, let count):
      return (
        .nested,
        "the interrupt \(Self.name(of: vector)) has interrupted itself \(count - 1) times without "
          + "returning"
      )
    case .unset(let use):
      let verb =
        switch use {
        case .branch: "decides a branch"
        case .address: "is used as an address"
        case .io: "is written to an I/O register"
        }
      return (.unset, "a value that was never set \(verb) in \(subject)")
    }
  }

  // MARK: What the program did

  /// Returns where the program was for at least four fifths of a period, in cycles: `in` the
  /// innermost function, with those that called it, or `asleep`. The time in interrupts is that of
  /// what they interrupted, unless one of them took so much of it.
  func busy(from begin: UInt64, to end: UInt64, _ record: RunRecord) -> String? {
    guard begin < end, end - begin >= RunRecord.samplePeriod * Self.samplesMin else { return nil }
    let begin = max(begin, end - min(end, clock.cycles(in: Self.periodMax)))
    var times: [RunRecord.Place: UInt64] = [:]
    var (total, asleep): (UInt64, UInt64) = (0, 0)
    for (place, cycles) in record.places(from: begin, to: end) {
      total += cycles
      if let place { times[place, default: 0] += cycles } else { asleep += cycles }
    }
    guard total * 2 > end - begin else { return nil }
    if asleep * 5 >= total * 4 { return "asleep" }
    var causes = self
    causes.tree = record.tree
    var paths: [(functions: [SourcePlace], cycles: UInt64)] = []
    var interrupts = [UInt64](repeating: 0, count: 32)
    for (place, cycles) in times {
      var functions: [SourcePlace] = []
      for step in causes.steps(to: place) {
        if case .interrupt(let vector) = step { interrupts[Int(vector & 31)] += cycles }
        guard case .function(let place) = step else { break }
        functions.append(place)
      }
      paths.append((functions, cycles))
    }
    if let vector = interrupts.firstIndex(where: { $0 * 5 >= total * 4 }) {
      return "in the interrupt \(Self.name(of: UInt8(vector)))"
    }
    let common = Self.common(&paths, total)
    return common.isEmpty ? nil : "in " + names(common)
  }

  /// `a turn of loop took 20.3 ms: delay in sweep (turret.ino:88)`. The turn ends with the record.
  func text(ofTurn cycles: UInt64, _ isOver: Bool, at end: UInt64, _ record: RunRecord) -> String {
    let length = String(readable: rounded(clock.instant(of: end), since: end - cycles))
    let busy = busy(from: end - cycles, to: end, record)
    return "a turn of loop \(isOver ? "took \(length)" : "has taken \(length) so far")"
      + (busy.map { ", most of it \($0)" } ?? "")
  }

  /// The functions that four fifths of the time have in common, the outermost first, each with the
  /// line at which it called the next.
  private static func common(
    _ paths: inout [(functions: [SourcePlace], cycles: UInt64)], _ total: UInt64
  ) -> [SourcePlace] {
    var found: [SourcePlace] = []
    while true {
      let depth = found.count
      var shares: [[SourcePlace]: UInt64] = [:]
      for path in paths where path.functions.count > depth {
        var step = [path.functions[depth]]
        // The line of the innermost one changes all the time.
        step[0].line = 0
        if depth > 0 { step.append(path.functions[depth - 1]) }
        shares[step, default: 0] += path.cycles
      }
      guard let most = shares.max(by: { $0.value < $1.value }), most.value * 5 >= total * 4,
        !(depth > 0 && timers.contains(most.key[0].function))
      else { return found }
      if depth > 0 { found[depth - 1] = most.key[1] }
      found.append(most.key[0])
      paths.removeAll { path in
        guard path.functions.count > depth else { return true }
        return path.functions[depth].function != most.key[0].function
          || depth > 0 && path.functions[depth - 1] != most.key[1]
      }
    }
  }

  // MARK: The stack

  /// How deep the stack was, which begins at an address of the SRAM; nil if it was never used.
  func stackUse(_ record: RunRecord, from end: UInt16) -> StackUse? {
    guard let deepest = record.deepest, deepest.stack <= end else { return nil }
    var frames: [StackUse.Frame] = []
    /// Adds what has the stack from an address down to another.
    func add(_ call: CallTree.Call?, at pc: UInt16, from top: UInt16, to low: UInt16) {
      guard top > low else { return }
      let place = map.places(at: UInt32(pc)).last
      let entry = String(call?.entry ?? pc, radix: 16, digits: 4, uppercase: true)
      let line = place.map { $0.line == 0 ? "" : "\($0.fileName):\($0.line)" }
      frames.append(
        StackUse.Frame(
          function: call?.vector.map { "interrupt \(Self.name(of: $0))" } ?? place?.function
            ?? "0x\(entry)",
          line: line ?? "", bytes: Int(top - low)))
    }
    var top = end
    var call: CallTree.Call?
    for frame in deepest.frames {
      let next = record.tree[frame.node].call
      add(call, at: next.site, from: top, to: frame.stack)
      (call, top) = (next, min(top, frame.stack))
    }
    add(call, at: deepest.place.pc, from: top, to: deepest.stack)
    let room = record.nearest.map {
      StackUse.Room(
        bytes: $0.bytes, above: $0.isHeap ? .heap : .variables, at: clock.instant(of: $0.cycle))
    }
    return StackUse(
      bytes: Int(end - deepest.stack), at: clock.instant(of: deepest.cycle), frames, room: room)
  }

  /// The name of an interrupt (ATmega328P data sheet, "Interrupt Vectors").
  static func name(of vector: UInt8) -> String {
    let names = [
      "INT0", "INT1", "PCINT0", "PCINT1", "PCINT2", "WDT", "TIMER2_COMPA", "TIMER2_COMPB",
      "TIMER2_OVF", "TIMER1_CAPT", "TIMER1_COMPA", "TIMER1_COMPB", "TIMER1_OVF", "TIMER0_COMPA",
      "TIMER0_COMPB", "TIMER0_OVF", "SPI_STC", "USART_RX", "USART_UDRE", "USART_TX", "ADC",
      "EE_READY", "ANALOG_COMP", "TWI", "SPM_READY",
    ]
    return names.indices.contains(Int(vector) - 1) ? names[Int(vector) - 1] : "\(vector)"
  }
}
