package import Devices
package import Sketches
import Traces

/// What a sender can rely on with a device. A session shows each figure.
package struct DeviceContract: Sendable {
  /// When a board acts after its reset.
  package struct Start: Hashable, Sendable {
    /// The earliest time after the reset at which a command can be sent and is obeyed.
    package var obeyed: Interval
    /// When that command takes effect.
    package var acts: Interval
  }

  /// A length of time that depends on what the sketch is doing.
  package struct Longest: Hashable, Sendable {
    package var length: Interval
    /// What was sent before, as bytes; empty for an idle sketch.
    package var after: [UInt8]
  }

  /// How fast commands can follow each other at a speed.
  package struct Pace: Hashable, Sendable {
    /// In bits a second.
    package var baud: Int
    /// The smallest safe time between two commands; nil if none up to `ContractSearch.gapMax` is.
    package var gap: Interval?
    /// The length of the commands in bytes.
    package var byteCount: Int
    /// From the beginning of one command to that of the next, at the smallest safe gap.
    package var period: Interval? {
      gap.map { $0 + .nanoseconds(Int64(byteCount) * 10_000_000_000 / Int64(baud)) }
    }
  }

  /// What ends a command that was broken off.
  package struct Recovery: Hashable, Sendable {
    /// The shortest silence that is enough; nil if none up to `ContractSearch.silenceMax` is.
    package var silence: Interval?
    /// The single bytes after which it is obeyed.
    package var bytes: [UInt8]
    /// Whether a reset makes it obey again.
    package var resets: Bool
  }

  /// A session that shows a figure.
  package struct Witness: Hashable, Sendable {
    /// In letters, digits and `-`.
    package var name: String
    package var title: String
    package var session: SessionInputs
  }

  package var start: Start?
  /// From the end of a command's last byte to its effect.
  package var latency: Longest
  /// The same if the sketch is idle.
  package var idleLatency: Interval
  /// How long a byte waits until the sketch takes it; nil if the device does not show that.
  package var deaf: Longest?
  package var paces: [Pace]
  package var recovery: Recovery
  /// The bytes that, between commands, cost the next one, and those that end a scan.
  package var breaking: [UInt8]
  package var stopping: [UInt8]
  package var witnesses: [Witness]
}

/// The commands with which a device's contract is measured: two long ones and two short ones that
/// move a servo, and those that have no number.
package struct ContractCommands: Hashable, Sendable {
  package var long: [[UInt8]]
  package var short: [[UInt8]]
  package var letters: [[UInt8]]
  /// The bytes that begin a command.
  fileprivate var beginnings: Set<UInt8>

  /// Chooses the first form of a profile with exactly one number, in digits; nil if there is none.
  package init?(_ profile: Profile) {
    func text(_ form: CommandForm, _ part: Int64) -> [UInt8]? {
      var bytes: [UInt8] = []
      var count = 0
      for item in form.parts {
        switch item {
        case .byte(let byte): bytes.append(byte)
        case .either(let any): bytes += any.prefix(1)
        case .optional: break
        case .number(let field), .digits(let field, _):
          guard field.decimals == 0, field.range.lowerBound >= 0 else { return nil }
          count += 1
          let (low, high) = (Int64(field.range.lowerBound), Int64(field.range.upperBound))
          let digits = Array("\(low + (high - low) * part / 180)".utf8)
          if case .digits(_, let width) = item {
            bytes += [UInt8](repeating: 0x30, count: max(0, width - digits.count))
          }
          bytes += digits
        case .single, .packed, .checksum, .pause: return nil
        }
      }
      return count == 1 ? bytes : nil
    }
    guard let form = profile.commands.first(where: { text($0, 0) != nil }) else { return nil }
    // Beyond both ends of a scan from 20 to 160 degrees, so that no step of one is taken for it.
    long = [170, 175].compactMap { text(form, $0) }
    short = [5, 9].compactMap { text(form, $0) }
    letters = profile.commands.compactMap { form in
      let bytes = form.parts.compactMap { if case .byte(let byte) = $0 { byte } else { nil } }
      return bytes.count == form.parts.count ? bytes : nil
    }
    beginnings = []
    for form in profile.commands {
      switch form.parts.first {
      case .byte(let byte)?: beginnings.insert(byte)
      case .either(let any)?: beginnings.formUnion(any)
      default: break
      }
    }
  }
}

/// Measures a device's contract: by bisection, with sessions that continue from snapshots.
///
/// Bisection assumes that what is obeyed at some gap or silence is obeyed at any longer one.
package struct ContractSearch<Source: DeviceSource>: Sendable {
  /// The commands of a stream that must all be obeyed.
  package static var streamCount: Int { 128 }
  package static var gapMax: Interval { .seconds(1) }
  package static var silenceMax: Interval { .seconds(10) }
  /// The latest start after a reset.
  private static var startMax: Interval { .seconds(5) }
  /// How long an effect is awaited.
  private static var effectMax: Interval { .seconds(2) }
  /// When the sketch is idle after its start.
  private static var ready: Instant { .zero + .seconds(6) }
  /// How exact the figures are.
  package static var resolution: Interval { .microseconds(1) }

  private let source: Source
  private let firmware: Firmware
  private let commands: ContractCommands
  /// The speeds of streams, in bits a second. Everything else is measured at the first.
  private let speeds: [Int]
  /// The angles that the commands lead to.
  private var angles: [[UInt8]: UInt8] = [:]
  private var witnesses: [DeviceContract.Witness] = []
  /// Returns whether the search is to end; its sessions then end early.
  private var isOver: @Sendable () -> Bool = { false }

  package init(_ source: Source, firmware: Firmware, commands: ContractCommands, speeds: [Int]) {
    self.source = source
    self.firmware = firmware
    self.commands = commands
    self.speeds = speeds
  }

  private var baud: Int { speeds[0] }

  /// Returns the contract; nil if the commands do not move a servo, or if `isEnding` returns true.
  package mutating func run(
    isEnding: @escaping @Sendable () -> Bool = { false }
  ) throws(DeviceError) -> DeviceContract? {
    isOver = isEnding
    var idle = try probe(baud)
    let fresh = idle
    idle.pass(to: Self.ready)
    if isEnding() { return nil }
    for command in commands.long + commands.short {
      guard let angle = idle.angle(after: command, Self.ready) else { return nil }
      angles[command] = angle
    }
    guard Set(angles.values).count == angles.count else { return nil }
    let start = self.start(fresh)
    let states = [State(after: [], probe: idle)] + commands.letters.map { state(idle, after: $0) }
    var latency = DeviceContract.Longest(length: .zero, after: [])
    var idleLatency = Interval.zero
    var deaf: DeviceContract.Longest?
    let showsReads = source.reportsFates || idle.simulation.device.shownReads == .ring
    for state in states {
      if isEnding() { return nil }
      let worst = longest(state) { $0.latency }
      if state.after.isEmpty { idleLatency = worst.length }
      if worst.length > latency.length {
        latency = .init(length: worst.length, after: state.after)
        note("latency", "the longest time from a command's last byte to its effect", worst.probe)
      }
      guard showsReads else { continue }
      let wait = longest(state) { $0.wait }
      if wait.length > deaf?.length ?? .zero {
        deaf = .init(length: wait.length, after: state.after)
        note("deaf", "the longest time until a byte is taken", wait.probe)
      }
    }
    var paces: [DeviceContract.Pace] = []
    for baud in speeds {
      if isEnding() { return nil }
      paces.append(try pace(baud))
    }
    let recovery = self.recovery(idle)
    if isEnding() { return nil }
    let (breaking, stopping) = harmful(fresh, states, start)
    if isEnding() { return nil }
    return DeviceContract(
      start: start, latency: latency, idleLatency: idleLatency, deaf: deaf, paces: paces,
      recovery: recovery, breaking: breaking, stopping: stopping, witnesses: witnesses)
  }

  // MARK: Probes

  /// A device in the course of a session.
  private struct Probe: Sendable {
    var simulation: Simulation<Source.Made>
    let baud: Int
    /// What was sent.
    var inputs: [Event] = []
    /// The servos' writes.
    var writes: [(time: Instant, degrees: UInt8)] = []

    mutating func pass(to instant: Instant) {
      while simulation.step(to: instant) {
        for seen in simulation.outputs {
          if case .servo(let degrees, _, _) = seen.output { writes.append((seen.time, degrees)) }
        }
      }
    }

    mutating func send(_ bytes: [UInt8], at instant: Instant) {
      take(Event(instant, .receive(bytes)))
    }

    mutating func take(_ event: Event) {
      pass(to: event.time)
      simulation.feed(event)
      inputs.append(event)
    }

    /// How long bytes take on the line.
    func length(of bytes: [UInt8]) -> Interval {
      .nanoseconds(Int64(bytes.count) * 10_000_000_000 / Int64(baud))
    }

    /// The angle that a command leads to; nil for none.
    func angle(after command: [UInt8], _ instant: Instant) -> UInt8? {
      var probe = self
      probe.writes = []
      probe.send(command, at: instant)
      probe.pass(to: instant + ContractSearch.effectMax)
      return probe.writes.last?.degrees
    }

    /// Returns when a command that was sent at an instant takes effect; nil if it does not.
    mutating func effect(of degrees: UInt8, since instant: Instant) -> Instant? {
      var begin = writes.count
      while begin > 0, writes[begin - 1].time >= instant { begin -= 1 }
      // Most effects follow at once.
      for wait in [Interval.milliseconds(40), .milliseconds(300), ContractSearch.effectMax] {
        pass(to: max(simulation.now, instant + wait))
        if let found = writes[begin...].first(where: { $0.degrees == degrees }) {
          return found.time
        }
      }
      return nil
    }
  }

  /// What was sent to a sketch that was idle, and the device after it.
  private struct State: Sendable {
    var after: [UInt8]
    var probe: Probe
    /// How long the state is searched, in which steps.
    var span = Interval.milliseconds(20)
    var step = Interval.microseconds(370)
    var scans = false
  }

  private func probe(_ baud: Int) throws(DeviceError) -> Probe {
    let header = Header(firmware: firmware, baud: baud, duration: nil, title: nil)
    let device = try source.makeDevice(for: header, firmware: firmware, showsPulses: false)
    var probe = Probe(
      simulation: Simulation(device, ledger: Ledger(followsReads: !source.reportsFates)),
      baud: baud)
    probe.simulation.isOver = isOver
    return probe
  }

  /// The sketch right after a command without a number.
  private func state(_ idle: Probe, after bytes: [UInt8]) -> State {
    var probe = idle
    // From the middle, so that a scan does not begin at one of its ends.
    probe.send(bytes, at: Self.ready)
    probe.pass(to: Self.ready + probe.length(of: bytes))
    var later = probe
    later.writes = []
    later.pass(to: Self.ready + .seconds(1))
    let scans = later.writes.count > 10
    // A scan from 20 to 160 degrees and back takes 4.3 s.
    return State(
      after: bytes, probe: probe, span: scans ? .seconds(6) : .milliseconds(400),
      step: .microseconds(1_013), scans: scans)
  }

  private mutating func note(_ name: String, _ title: String, _ probe: Probe) {
    witnesses.removeAll { $0.name == name }
    var session = SessionInputs(
      firmware: firmware, baud: probe.baud, events: probe.inputs, end: probe.simulation.now)
    session.end = max(session.end, session.shown)
    witnesses.append(.init(name: name, title: title, session: session))
  }

  // MARK: Figures

  private mutating func start(_ fresh: Probe) -> DeviceContract.Start? {
    let command = commands.long[0]
    func effect(_ send: Interval) -> (time: Instant, probe: Probe)? {
      var probe = fresh
      probe.send(command, at: .zero + send)
      probe.pass(to: .zero + send + Self.startMax)
      let found = probe.writes.first { $0.degrees == angles[command] }
      return found.map { ($0.time, probe) }
    }
    guard let obeyed = Self.smallest(upTo: Self.startMax, { effect($0) != nil }),
      let found = effect(obeyed)
    else { return nil }
    note("start", "the earliest command after a reset that is obeyed", found.probe)
    return .init(obeyed: obeyed, acts: found.time - .zero)
  }

  /// How one command was taken.
  private struct Taken: Sendable {
    var latency: Interval
    /// How long its first byte waited.
    var wait: Interval
    var probe: Probe
  }

  private func taken(_ state: Probe, at instant: Instant) -> Taken? {
    var probe = state
    let command = commands.long[0]
    let count = probe.simulation.ledger?.entries.count ?? 0
    probe.send(command, at: instant)
    guard let angle = angles[command], let effect = probe.effect(of: angle, since: instant) else {
      return nil
    }
    let waits = probe.simulation.ledger?.entries.dropFirst(count).map { entry in
      (entry.taken ?? entry.arrived) - entry.arrived
    }
    return Taken(
      latency: effect - (instant + probe.length(of: command)), wait: waits?.max() ?? .zero,
      probe: probe)
  }

  /// Returns the largest of a figure over all phases of a state.
  private func longest(
    _ state: State, _ figure: (Taken) -> Interval
  ) -> (length: Interval, probe: Probe) {
    var walk = state.probe
    var before = walk
    let begin = walk.simulation.now
    var worst: (length: Interval, probe: Probe, low: Instant, high: Instant, from: Probe)?
    var now = begin
    while now <= begin + state.span {
      walk.pass(to: now)
      if let taken = taken(walk, at: now), figure(taken) > worst?.length ?? .nanoseconds(-1) {
        worst = (figure(taken), taken.probe, before.simulation.now, now, before)
      }
      before = walk
      now += state.step
    }
    guard var worst else { return (.zero, walk) }
    // What arrives just after the sketch has looked waits longest.
    while worst.high - worst.low > Self.resolution {
      let middle = worst.low + .nanoseconds((worst.high - worst.low).nanoseconds / 2)
      if let taken = taken(worst.from, at: middle), figure(taken) >= worst.length {
        (worst.length, worst.probe, worst.high) = (figure(taken), taken.probe, middle)
      } else {
        worst.low = middle
      }
    }
    return (worst.length, worst.probe)
  }

  private mutating func pace(_ baud: Int) throws(DeviceError) -> DeviceContract.Pace {
    var idle = try probe(baud)
    idle.pass(to: Self.ready)
    let states = [State(after: [], probe: idle)] + commands.letters.map { state(idle, after: $0) }
    var gap: Interval? = .zero
    for pair in [commands.long, commands.short] {
      var broken: Probe?
      let found = Self.smallest(upTo: Self.gapMax) { length in
        let failure = brokenStream(of: pair, gap: length, states)
        if failure != nil { broken = failure }
        return failure == nil
      }
      if let broken, pair == commands.long || gap == .zero {
        note("gap-\(baud)", "a smaller gap than is safe at \(baud) baud", broken)
      }
      gap = found.flatMap { found in gap.map { max($0, found) } }
    }
    return .init(baud: baud, gap: gap, byteCount: commands.long[0].count)
  }

  /// Returns a session in which a command of a stream is not obeyed at some phase; nil for none.
  private func brokenStream(of pair: [[UInt8]], gap: Interval, _ states: [State]) -> Probe? {
    for state in states {
      var walk = state.probe
      for phase in 0..<16 {
        let begin = state.probe.simulation.now + .microseconds(1_013 * Int64(phase))
        walk.pass(to: begin)
        var probe = walk
        probe.writes = []
        var at = begin
        var expected: [UInt8] = []
        for index in 0..<Self.streamCount {
          let command = pair[index % pair.count]
          probe.send(command, at: at)
          at += probe.length(of: command) + gap
          expected.append(angles[command] ?? 0)
        }
        probe.pass(to: at + .seconds(1))
        // The steps of a scan come before the first command's effect.
        let degrees = probe.writes.map { $0.degrees }.drop { $0 != expected[0] }
        if !degrees.elementsEqual(expected) { return probe }
      }
    }
    return nil
  }

  private mutating func recovery(_ idle: Probe) -> DeviceContract.Recovery {
    let cut = Array(commands.long[0].dropLast())
    let next = commands.short[0]
    let begin = idle.simulation.now
    var open = idle
    open.send(cut, at: begin)
    let sent = begin + open.length(of: cut)
    func isObeyed(_ probe: Probe, at instant: Instant) -> Probe? {
      var probe = probe
      probe.writes = []
      probe.send(next, at: instant)
      return probe.effect(of: angles[next] ?? 0, since: instant) == nil ? nil : probe
    }
    open.pass(to: sent)
    let silence = Self.smallest(upTo: Self.silenceMax) { isObeyed(open, at: sent + $0) != nil }
    let later = sent + .milliseconds(20)
    var bytes: [UInt8] = []
    for byte in UInt8.min...UInt8.max {
      var probe = open
      probe.send([byte], at: later)
      guard let obeyed = isObeyed(probe, at: later + .milliseconds(20)) else { continue }
      bytes.append(byte)
      if byte == commands.long[0].last {
        note("recovery", "a byte that ends a command that was broken off", obeyed)
      }
    }
    var reset = open
    reset.take(Event(later, .reset(.zero)))
    let resets = isObeyed(reset, at: later + (Self.ready - .zero)) != nil
    return .init(silence: silence, bytes: bytes, resets: resets)
  }

  /// Returns the bytes after which a command is not obeyed in any state, and those that end a scan.
  private mutating func harmful(
    _ fresh: Probe, _ states: [State], _ start: DeviceContract.Start?
  ) -> (breaking: [UInt8], stopping: [UInt8]) {
    var (breaking, stopping): ([UInt8], [UInt8]) = ([], [])
    var places: [(probe: Probe, at: Instant)] = []
    for state in states {
      for phase in 0..<(state.after.isEmpty ? 1 : 8) {
        places.append((state.probe, state.probe.simulation.now + .milliseconds(Int64(2 * phase))))
      }
    }
    // What waits until the start-up is over is taken at once.
    if let start, start.acts - start.obeyed > .milliseconds(100) {
      places.append((fresh, .zero + start.obeyed + .milliseconds(10)))
    }
    for byte in UInt8.min...UInt8.max where !commands.beginnings.contains(byte) {
      var broken: Probe?
      for place in places where broken == nil { broken = brokenCommand(after: byte, place) }
      if let broken {
        if breaking.isEmpty { note("byte", "a byte that costs the next command", broken) }
        breaking.append(byte)
      }
      for state in states where state.scans {
        var probe = state.probe
        let begin = probe.simulation.now + .milliseconds(300)
        probe.send([byte], at: begin)
        probe.writes = []
        probe.pass(to: begin + .milliseconds(400))
        guard !probe.writes.contains(where: { $0.time > begin + .milliseconds(100) }) else {
          continue
        }
        if stopping.isEmpty { note("scan", "a byte that ends a scan", probe) }
        stopping.append(byte)
        break
      }
    }
    return (breaking, stopping)
  }

  private func brokenCommand(after byte: UInt8, _ place: (probe: Probe, at: Instant)) -> Probe? {
    var probe = place.probe
    let command = commands.short[0]
    probe.send([byte] + command, at: place.at)
    return probe.effect(of: angles[command] ?? 0, since: place.at) == nil ? probe : nil
  }

  /// Returns the smallest length that is enough, to the microsecond; nil if `limit` is not.
  private static func smallest(upTo limit: Interval, _ holds: (Interval) -> Bool) -> Interval? {
    if holds(.zero) { return .zero }
    guard holds(limit) else { return nil }
    var (low, high) = (Int64(0), limit.nanoseconds / 1_000)
    while high - low > 1 {
      let middle = (low + high) / 2
      if holds(.microseconds(middle)) { high = middle } else { low = middle }
    }
    return .microseconds(high)
  }
}
