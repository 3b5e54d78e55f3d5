package import Devices
package import Sketches
import Traces

/// What a sender can rely on with a device. A session shows each figure. What was not measured,
/// because the search ended early, is nil.
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

  /// `.some(nil)`: it does not listen within the time in which a start is awaited.
  package var start: Start??
  /// From the end of a command's last byte to its effect, for the worse of a short command and a
  /// long one.
  package var latency: Longest?
  /// The same if the sketch is idle.
  package var idleLatency: Interval?
  /// How long a byte waits until the sketch takes it; nil also if the device does not show that.
  package var deaf: Longest?
  /// How the device shows that bytes are taken.
  package var shownReads = ShownReads.none
  package var paces: [Pace] = []
  package var recovery: Recovery?
  /// The bytes that, between commands, cost the next one, and those that end a scan.
  package var breaking: [UInt8]?
  package var stopping: [UInt8]?
  package var witnesses: [Witness] = []
  /// Whether everything was measured.
  package var isWhole = false
}

/// The commands with which a device's contract is measured: two long ones and two short ones that
/// move a servo, and those that have no number. If a number is sent in bytes, all are equally long.
package struct ContractCommands: Hashable, Sendable {
  package var long: [[UInt8]]
  package var short: [[UInt8]]
  package var letters: [[UInt8]]
  /// The bytes that begin a command.
  fileprivate var beginnings: Set<UInt8>

  /// Chooses the first form of a profile with exactly one number; nil if there is none.
  package init?(_ profile: Profile) {
    guard let form = profile.commands.first(where: { $0.fields.count == 1 }) else { return nil }
    let range = form.fields[0].range
    let (low, high) = (Int64(range.lowerBound), Int64(range.upperBound))
    func text(_ degrees: Int32) -> [UInt8] {
      // A range that has all angles can have more than a servo turns.
      let isAngle = range.contains(0) && range.contains(180) && form.fields[0].decimals == 0
      let scaled = Int32(clamping: low + (high - low) * Int64(degrees) / 180)
      return form.bytes([isAngle ? degrees : scaled])
    }
    // Beyond both ends of a scan from 20 to 160 degrees, so that no step of one is taken for it.
    long = [text(170), text(175)]
    short = [text(5), text(9)]
    letters = profile.commands.compactMap { form in
      let bytes = form.parts.compactMap { if case .byte(let byte) = $0 { byte } else { nil } }
      return bytes.count == form.parts.count ? bytes : nil
    }
    beginnings = []
    for form in profile.commands {
      switch form.parts.first {
      case .byte(let byte)?: beginnings.insert(byte)
      case .either(let any)?: beginnings.formUnion(any)
      case .number?, .digits?: beginnings.formUnion("0123456789-".utf8)
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

  /// Returns the contract, or what is known of it when `isEnding` returns true; nil if the commands
  /// do not move a servo. `report` gets what is measured next, in words.
  package mutating func run(
    isEnding: @escaping @Sendable () -> Bool = { false }, report: (String) -> Void = { _ in }
  ) throws(DeviceError) -> DeviceContract? {
    isOver = isEnding
    var contract = DeviceContract()
    report("the commands")
    var idle = try probe(baud)
    let fresh = idle
    idle.pass(to: Self.ready)
    for command in commands.long + commands.short {
      let angle = idle.angle(after: command, Self.ready)
      if isEnding() { return contract }
      guard let angle else { return nil }
      angles[command] = angle
    }
    guard Set(angles.values).count == angles.count else { return nil }
    try measure(&contract, fresh, idle, report)
    contract.isWhole = !isEnding()
    contract.witnesses = witnesses
    return contract
  }

  /// Measures one figure after the other. One during which the search ends is not known.
  private mutating func measure(
    _ contract: inout DeviceContract, _ fresh: Probe, _ idle: Probe, _ report: (String) -> Void
  ) throws(DeviceError) {
    report("the start")
    let start = self.start(fresh)
    if isOver() { return }
    contract.start = .some(start)
    let states = [State(after: [], probe: idle)] + commands.letters.map { state(idle, after: $0) }
    var latency = DeviceContract.Longest(length: .zero, after: [])
    var deaf: DeviceContract.Longest?
    // A sketch can also be busy with a command that it has just obeyed.
    for state in states + [state(idle, after: commands.long[1])] {
      report("the effect" + (state.after.isEmpty ? "" : " after \(ByteText.quoted(state.after))"))
      var wait = Worst()
      var effect = Worst()
      for command in [commands.long[0], commands.short[0]] {
        let found = longest(state, command)
        effect.take(found.latency)
        wait.take(found.wait)
      }
      if isOver() { return }
      if state.after.isEmpty {
        contract.idleLatency = effect.length
        // Only a program that has taken a byte shows how it does that.
        contract.shownReads =
          source.reportsFates ? .ring : effect.probe?.simulation.device.shownReads ?? .none
      }
      if effect.length > latency.length, let probe = effect.probe {
        latency = .init(length: effect.length, after: state.after)
        note("latency", "the longest time from a command's last byte to its effect", probe)
      }
      if contract.shownReads != .none, wait.length > deaf?.length ?? .zero, let probe = wait.probe {
        deaf = .init(length: wait.length, after: state.after)
        note("deaf", "the longest time until a byte is taken", probe)
      }
    }
    contract.latency = latency
    contract.deaf = deaf
    for baud in speeds {
      report("the gap between commands at \(baud) baud")
      let pace = try pace(baud)
      if isOver() { return }
      contract.paces.append(pace)
    }
    report("what ends a command that is broken off")
    let recovery = self.recovery(idle)
    if isOver() { return }
    contract.recovery = recovery
    report("which bytes do harm")
    let (breaking, stopping) = harmful(fresh, states, start)
    if isOver() { return }
    (contract.breaking, contract.stopping) = (breaking, stopping)
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

    /// Whether a servo gets these angles one after the other, and all by an instant.
    mutating func shows(_ angles: [UInt8], by end: Instant) -> Bool {
      // Most streams are obeyed soon after their end, and to wait for longer takes time.
      for rest in [Interval.milliseconds(960), .milliseconds(700), .zero] {
        pass(to: end - rest)
        // The steps of a scan come before the first command's effect.
        let degrees = writes.map { $0.degrees }.drop { $0 != angles[0] }
        if degrees.elementsEqual(angles) { return true }
      }
      return false
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
    // A session that was ended early shows nothing.
    if isOver() { return }
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
    /// Nil if it was not obeyed.
    var latency: Interval?
    /// The longest time that a byte of it waited.
    var wait: Interval
    var probe: Probe
  }

  private func taken(_ state: Probe, _ command: [UInt8], at instant: Instant) -> Taken {
    var probe = state
    let count = probe.simulation.ledger?.entries.count ?? 0
    probe.send(command, at: instant)
    let effect = angles[command].flatMap { probe.effect(of: $0, since: instant) }
    let waits = probe.simulation.ledger?.entries.dropFirst(count).map { entry in
      (entry.taken ?? entry.arrived) - entry.arrived
    }
    return Taken(
      latency: effect.map { $0 - (instant + probe.length(of: command)) },
      wait: waits?.max() ?? .zero, probe: probe)
  }

  /// The largest length of time so far, and a session that shows it.
  private struct Worst: Sendable {
    var length = Interval.zero
    var probe: Probe?
    /// It is found between these instants, from the state before them.
    var low = Instant.zero
    var high = Instant.zero
    var from: Probe?

    mutating func take(_ other: Worst) {
      if probe == nil || other.length > length { self = other }
    }
  }

  /// Returns the largest figures over all phases of a state.
  private func longest(_ state: State, _ command: [UInt8]) -> (latency: Worst, wait: Worst) {
    var walk = state.probe
    var before = walk
    let begin = walk.simulation.now
    var (latency, wait) = (Worst(), Worst())
    var now = begin
    while now <= begin + state.span, !isOver() {
      walk.pass(to: now)
      let taken = taken(walk, command, at: now)
      func worst(_ length: Interval) -> Worst {
        Worst(
          length: length, probe: taken.probe, low: before.simulation.now, high: now, from: before)
      }
      if let length = taken.latency { latency.take(worst(length)) }
      wait.take(worst(taken.wait))
      before = walk
      now += state.step
    }
    return (refined(latency, command) { $0.latency }, refined(wait, command) { $0.wait })
  }

  /// What arrives just after the sketch has looked waits longest.
  private func refined(
    _ found: Worst, _ command: [UInt8], _ figure: (Taken) -> Interval?
  ) -> Worst {
    guard let from = found.from else { return found }
    var worst = found
    while worst.high - worst.low > Self.resolution, !isOver() {
      let middle = worst.low + .nanoseconds((worst.high - worst.low).nanoseconds / 2)
      let taken = taken(from, command, at: middle)
      if let length = figure(taken), length >= worst.length {
        (worst.length, worst.probe, worst.high) = (length, taken.probe, middle)
      } else {
        worst.low = middle
      }
    }
    return worst
  }

  private mutating func pace(_ baud: Int) throws(DeviceError) -> DeviceContract.Pace {
    var idle = try probe(baud)
    idle.pass(to: Self.ready)
    let states = [State(after: [], probe: idle)] + commands.letters.map { state(idle, after: $0) }
    // Each phase is tried only at the gap that those before it require.
    var gap = Interval.zero
    for pair in [commands.long, commands.short] {
      for state in states {
        var walk = state.probe
        for phase in 0..<16 {
          walk.pass(to: state.probe.simulation.now + .microseconds(1_013 * Int64(phase)))
          var broken: Probe?
          let found = Self.smallest(from: gap, upTo: Self.gapMax) { length in
            let failure = brokenStream(of: pair, gap: length, walk)
            if failure != nil { broken = failure }
            return failure == nil
          }
          if let broken {
            note("gap-\(baud)", "a smaller gap than is safe at \(baud) baud", broken)
          }
          guard let found else { return .init(baud: baud, byteCount: commands.long[0].count) }
          gap = found
        }
      }
    }
    return .init(baud: baud, gap: gap, byteCount: commands.long[0].count)
  }

  /// Returns a session in which a command of a stream is not obeyed; nil if all are.
  private func brokenStream(of pair: [[UInt8]], gap: Interval, _ start: Probe) -> Probe? {
    var probe = start
    probe.writes = []
    var at = probe.simulation.now
    var expected: [UInt8] = []
    for index in 0..<Self.streamCount {
      let command = pair[index % pair.count]
      probe.send(command, at: at)
      at += probe.length(of: command) + gap
      expected.append(angles[command] ?? 0)
    }
    return probe.shows(expected, by: at + .seconds(1)) ? nil : probe
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
    for byte in UInt8.min...UInt8.max where !isOver() {
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
    // Where the command is not obeyed without the byte either, the byte does no harm.
    places = places.filter { brokenCommand(after: [], $0) == nil }
    for byte in UInt8.min...UInt8.max where !commands.beginnings.contains(byte) && !isOver() {
      var broken: Probe?
      for place in places where broken == nil { broken = brokenCommand(after: [byte], place) }
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
        if stopping.isEmpty { note("scan", "a byte that ends a sweep", probe) }
        stopping.append(byte)
        break
      }
    }
    return (breaking, stopping)
  }

  private func brokenCommand(
    after bytes: [UInt8], _ place: (probe: Probe, at: Instant)
  ) -> Probe? {
    var probe = place.probe
    let command = commands.short[0]
    let missing = [UInt8](repeating: 0, count: 1 - bytes.count)
    probe.send(bytes + command, at: place.at + probe.length(of: missing))
    return probe.effect(of: angles[command] ?? 0, since: place.at) == nil ? probe : nil
  }

  /// Returns the smallest length from `least` on that is enough, to the microsecond; nil if `limit`
  /// is not. A long one takes long to try, so that it is doubled.
  private static func smallest(
    from least: Interval = .zero, upTo limit: Interval, _ holds: (Interval) -> Bool
  ) -> Interval? {
    if holds(least) { return least }
    let last = limit.nanoseconds / 1_000
    var low = least.nanoseconds / 1_000
    var high = min(last, max(1_000, low * 2))
    while !holds(.microseconds(high)) {
      if high == last { return nil }
      (low, high) = (high, min(last, high * 2))
    }
    while high - low > 1 {
      let middle = (low + high) / 2
      if holds(.microseconds(middle)) { high = middle } else { low = middle }
    }
    return .microseconds(high)
  }
}
