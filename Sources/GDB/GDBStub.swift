package import AVR
package import ChipDevice
import Devices
package import Sketches
package import Traces

/// GDB's remote serial protocol on a session of the emulated chip: takes the bytes of one client,
/// and gives those for it.
///
/// It knows neither sockets nor clocks. While the program runs, `run` is called again and again.
/// Whatever a client sends, it is answered or ignored, and what is kept of it is limited. The
/// packets are those in the appendix "GDB Remote Serial Protocol" of GDB's manual.
package struct GDBStub: Sendable {
  package enum Ending: Hashable, Sendable {
    /// The session goes on without the client.
    case detached
    /// The client has ended the session.
    case killed
  }

  /// What the client waits for.
  enum Job: Sendable {
    /// A stop reply.
    case run
    /// The answer of a `monitor` command that runs the whole session to look for something.
    case look(SessionMoments.Sought)
    /// The answer of a `monitor` command that moves through the session.
    case monitor(MonitorJob)

    /// Whether a `monitor` command is to be answered.
    fileprivate var isCommand: Bool {
      switch self {
      case .run, .monitor(.restart): false
      case .look, .monitor: true
      }
    }
  }

  /// Signals by GDB's numbers.
  enum Signal: UInt8 {
    case interrupt = 0x02
    case illegalInstruction = 0x04
    case trap = 0x05
    case segmentationFault = 0x0B
  }

  /// How many packets are kept that arrive during a run.
  private static let waitingMax = 8
  static let watchpointsMax = 4_096

  package internal(set) var timeline: ChipTimeline
  var moments: SessionMoments
  private let programMap: SourceMap
  /// The flash with the program that the map is about.
  private var programFlash: [UInt8]
  /// Whether another program was loaded, of which nothing is known.
  private(set) var isReprogrammed = false
  var map: SourceMap { isReprogrammed ? .none : programMap }
  /// Why nothing more is answered; nil if the client is still connected.
  package internal(set) var ending: Ending?

  private var reader = PacketReader()
  private var out: [UInt8] = []
  /// The last packet, for a client that has not received it well.
  private var last: [UInt8] = []
  private var needsAcknowledgements = true
  private var waiting: [[UInt8]] = []
  private(set) var job: Job?
  private var isInterrupted = false
  /// What is to be shown on the client's console as soon as it can take it.
  private var console: [String] = []

  var isExtended = false
  var (reportsSoftBreaks, reportsHardBreaks) = (false, false)
  var (softBreaks, hardBreaks): (Set<UInt16>, Set<UInt16>) = ([], [])
  private var stop: ChipTimeline.Stop?
  /// The flash while the client writes it.
  var newFlash: [UInt8]?
  var marks: [(name: String, cycle: UInt64)] = []
  /// The position that was gone to by a time.
  var asked: (cycle: UInt64, time: Instant)?
  private var hasToldFork = false
  var hasToldCache = false
  private var hasToldFault = false

  /// - Parameter map: what is known of the program's source.
  package init(_ timeline: ChipTimeline, _ moments: SessionMoments, _ map: SourceMap) {
    self.timeline = timeline
    self.moments = moments
    programMap = map
    let chip = timeline.device.chip
    programFlash = chip.bytes(ofFlash: 0..<UInt16(timeline.device.program.part.flashSize))
  }

  // MARK: A live session

  /// Whether what has passed stays as it was: a client cannot change the past of a live session.
  package var keepsPast = false
  /// How far the session has been run.
  private var furthest: UInt64 = 0
  /// How often a client has changed something, and how often that was refused.
  package private(set) var changeCount = 0
  package private(set) var refusedCount = 0

  /// Makes a change at the present position. Returns false if there is no such memory, or no change
  /// is possible here.
  mutating func make(_ change: ChipChange) -> Bool {
    guard !keepsPast || timeline.cycle >= furthest else {
      refusedCount += 1
      show("The past of a live session cannot be changed.")
      return false
    }
    guard !timeline.isFull else {
      show("More changes are not kept: one at an earlier moment drops those after it.")
      return false
    }
    guard timeline.make(change) else { return false }
    changeCount += 1
    hasToldFault = false
    return true
  }

  /// Takes a program that a client has loaded. A recorded session begins again with it, as a board
  /// does. Returns false if no change is possible here.
  mutating func load(_ flash: [UInt8]) -> Bool {
    let isSame = flash == memory(at: 0, flash.count)
    if keepsPast {
      guard isSame || make(.flash(0, flash)) else { return false }
    } else if isSame {
      if !timeline.forgetChanges() { timeline.goToBegin() }
    } else {
      timeline.reprogram(flash)
      changeCount += 1
      hasToldFault = false
      show("The session begins again with this program, and the inputs of the recording.")
    }
    isReprogrammed = flash != programFlash
    return true
  }

  /// Adds an input. None is earlier, and the session has not run past it.
  package mutating func append(_ input: Event) {
    timeline.append(input)
    moments.append(input)
  }

  /// Lets a live session run to an instant.
  package mutating func extend(to end: Instant) {
    timeline.extend(to: end)
    moments.extend(to: end)
  }

  /// A live session has ended, and its end is a stop.
  package mutating func finish(at end: Instant) {
    timeline.finish(at: end)
    moments.finish(at: end)
  }

  // MARK: The client

  /// Ends a run, and forgets the client with all that it has set but marks.
  package mutating func beginAgain() {
    abandon()
    (timeline.breakpoints, timeline.watchpoints) = ([], [])
    timeline.stepsIntoInterrupts = false
    var next = GDBStub(timeline, moments, programMap)
    (next.marks, next.isReprogrammed) = (marks, isReprogrammed)
    next.programFlash = programFlash
    (next.keepsPast, next.furthest) = (keepsPast, furthest)
    (next.changeCount, next.refusedCount) = (changeCount, refusedCount)
    self = next
  }

  /// Whether the client waits for the program, so that `run` is to be called.
  package var isRunning: Bool { job != nil }
  /// Whether it waits for a command's answer, and the program stands still.
  package var isAnswering: Bool { job?.isCommand == true }

  /// Takes what the client has sent. Returns what it is to be sent.
  package mutating func take(_ bytes: [UInt8]) -> [UInt8] {
    var isRefused = false
    for byte in bytes where ending == nil {
      guard let item = reader.take(byte) else { continue }
      switch item {
      case .packet(let data):
        // A client that does not wait for a command's answer any more takes none.
        if job?.isCommand == true { abandon() }
        let isKept = job == nil || waiting.count < Self.waitingMax
        acknowledge(isKept)
        if job == nil { answer(data) } else if isKept { keep(data) }
      case .damaged: acknowledge(false)
      case .tooLong:
        acknowledge(true)
        if job == nil { reply("E01") }
      case .acknowledged: break
      // Sent once, however often the client asks at a time.
      case .refused: isRefused = needsAcknowledgements
      case .interrupt: interrupt()
      }
    }
    if isRefused { out += last }
    return takeOut()
  }

  /// Runs the program for about this many cycles. Returns what the client is to be sent.
  package mutating func run(forAbout cycles: UInt64) -> [UInt8] {
    guard let job else { return [] }
    switch job {
    case .look(let sought):
      guard isInterrupted || moments.look(for: sought, forAbout: cycles) else { return [] }
      self.job = nil
      finishLooking(for: sought, isInterrupted: isInterrupted)
    case .run:
      guard let stop = proceed(forAbout: cycles) else { return [] }
      reportStop(stop)
    case .monitor(let monitor):
      guard let stop = proceed(forAbout: cycles) else { return [] }
      finish(monitor, stop)
    }
    while self.job == nil, ending == nil, !waiting.isEmpty { answer(waiting.removeFirst()) }
    return takeOut()
  }

  private mutating func proceed(forAbout cycles: UInt64) -> ChipTimeline.Stop? {
    furthest = max(furthest, timeline.cycle)
    let stop = timeline.proceed(forAbout: cycles)
    furthest = max(furthest, timeline.cycle)
    if stop != nil { job = nil }
    return stop
  }

  /// Tells the client how far a search has got. For a search that has taken long.
  package mutating func tellProgress() -> [UInt8] {
    guard job != nil, let progress = timeline.progress ?? moments.progress else { return [] }
    show("Searching: \(Int(progress * 100)) %")
    sendConsole()
    return takeOut()
  }

  private mutating func takeOut() -> [UInt8] {
    defer { out = [] }
    return out
  }

  // MARK: Sending

  private mutating func acknowledge(_ isGood: Bool) {
    if needsAcknowledgements { out.append(UInt8(ascii: isGood ? "+" : "-")) }
  }

  mutating func stopAcknowledging() {
    needsAcknowledgements = false
    reader.checksChecksum = false
  }

  mutating func reply(_ data: some Sequence<UInt8>) {
    last = PacketWriter.packet(data)
    out += last
  }

  mutating func reply(_ text: String) { reply(text.utf8) }

  /// Shows a line on the client's console, as soon as the client can take it.
  mutating func show(_ line: String) {
    // A client can cause the same again and again before it can take any.
    if console.last != line { console.append(line) }
  }

  /// Sends what was to be shown. The client takes it only while it waits for the program or for a
  /// `monitor` command.
  mutating func sendConsole() {
    for line in console {
      var rest = ArraySlice(line.utf8)[...]
      rest.append(UInt8(ascii: "\n"))
      while !rest.isEmpty {
        reply([UInt8(ascii: "O")] + HexText.bytes(rest.prefix(PacketReader.packetMax / 4)))
        rest = rest.dropFirst(PacketReader.packetMax / 4)
      }
    }
    console = []
  }

  // MARK: Running

  private mutating func keep(_ data: [UInt8]) {
    // A request to stop does not wait until the program has stopped.
    if data.starts(with: "vCont;t".utf8) { interrupt() } else { waiting.append(data) }
  }

  /// Ends what is on its way, without an answer.
  private mutating func abandon() {
    guard job != nil else { return }
    timeline.interrupt()
    _ = timeline.proceed(forAbout: 1)
    // A search through the session has not moved the program.
    if case .monitor? = job { timeline.cancel() }
    moments.stopLooking()
    (job, console) = (nil, [])
    forgetStop()
  }

  private mutating func interrupt() {
    guard job != nil else { return }
    timeline.interrupt()
    isInterrupted = true
  }

  mutating func begin(_ job: Job, _ how: ChipTimeline.Resume) {
    timeline.resume(how)
    self.job = job
    isInterrupted = false
    tellFork()
    // A client that waits for nothing takes nothing.
    if case .monitor(.restart(answering: false)) = job { return }
    sendConsole()
  }

  /// Runs the whole session for a `monitor` command. The program stays where it is.
  mutating func begin(looking sought: SessionMoments.Sought) {
    job = .look(sought)
    isInterrupted = false
    sendConsole()
  }

  private mutating func tellFork() {
    defer { hasToldFork = timeline.isForked }
    guard timeline.isForked, !hasToldFork else { return }
    show(
      "From here on the session is no longer the recorded one: the debugger has changed the "
        + "program.")
  }

  /// Answers a command that lets the program run, or what it stopped for.
  private mutating func reportStop(_ stop: ChipTimeline.Stop) {
    self.stop = stop
    tellFault(stop)
    // GDB has its own words for it, which speak of going backwards.
    if stop == .end { show("This is the end of the session.") }
    sendConsole()
    replyStop()
  }

  mutating func tellFault(_ stop: ChipTimeline.Stop) {
    if stop == .fault, !hasToldFault, let crash { show(crash) }
    hasToldFault = stop == .fault
  }

  /// Why the program has crashed; nil if it has not.
  var crash: String? {
    // The names in the sentence are those of the program that was there first.
    guard isReprogrammed else { return timeline.device.fault?.description }
    return timeline.device.chip.fault.map {
      "The program has crashed at 0x\(String($0.address, radix: 16, digits: 4, uppercase: true))."
    }
  }

  /// Forgets why the program stopped: the client has moved it.
  mutating func forgetStop() { stop = nil }

  /// The packet that says why the program stands still: `T05`, with the registers that GDB needs
  /// for each step.
  mutating func replyStop() {
    let chip = timeline.device.chip
    var text = "T" + String(decoding: HexText.bytes([signal.rawValue]), as: UTF8.self)
    for register in [28, 29, ChipRegister.status, ChipRegister.stack, ChipRegister.counter] {
      let number = HexText.bytes([UInt8(register)])
      let value = HexText.bytes(ChipRegister.value(register, of: chip))
      text += String(decoding: number + [UInt8(ascii: ":")] + value, as: UTF8.self) + ";"
    }
    reply(text + reason + "thread:1;")
  }

  private var signal: Signal {
    switch stop {
    case .interrupted: return .interrupt
    case .fault:
      switch timeline.device.chip.fault?.cause {
      case .stack, .data: return .segmentationFault
      default: return .illegalInstruction
      }
    // Only after this one does GDB go on with `next` and `finish`.
    default: return .trap
    }
  }

  private var reason: String {
    switch stop {
    case .breakpoint:
      let isHard = hardBreaks.contains(timeline.device.chip.programCounter)
      if isHard { return reportsHardBreaks ? "hwbreak:;" : "" }
      return reportsSoftBreaks ? "swbreak:;" : ""
    case .watch(let point, let address):
      let name =
        switch point.kind {
        case .write: "watch"
        case .read: "rwatch"
        case .access: "awatch"
        }
      return "\(name):\(String(ChipMemory.dataStart + UInt32(address), radix: 16));"
    case .begin: return "replaylog:begin;"
    case .end: return "replaylog:end;"
    case .step, .fault, .interrupted, nil: return ""
    }
  }
}
