import AVR
import ChipDevice
import Engine
import GDB
import Platform
import Serial
import Sketches
import SystemPackage
import TestSupport
import Traces

@testable import Sessions

/// A live session on the emulated chip with a debugger's port, all in memory. The program puts 1 on
/// D7 for 4 ms when a byte arrives.
final class DebuggedBench {
  /// The instruction that puts 1 on D7, and the one after it.
  static let rise = 0x1A
  static let afterRise = 0x1C

  let system: MemorySystem
  let sender = MemoryProgram()
  private let listener: MemoryListener
  private let signals: MemoryPipe
  private let bench: LiveBench<AVRSource>
  let server: GDBServer
  private let remarks = Remarks()
  private let ended = Ended()

  private final class Ended { var act: (() -> Void)? }

  private final class Remarks { var lines: [String] = [] }

  /// - Parameter atEnd: what happens when the session has ended with a GDB; nil if that goes then.
  init(
    seed: UInt64 = 1, lasting length: Interval = .milliseconds(100),
    atEnd: ((DebuggedBench) -> Void)? = nil
  ) throws {
    system = MemorySystem(seed: seed)
    let image = try ProgramImage(contents: Array(HexBuilder.pulser.utf8), name: "pulser.hex")
    var wiring = ChipWiring()
    wiring.pins = .all
    let source = AVRSource(AVRProgram(image, name: "pulser.hex", wiring: wiring))
    var plan = LivePlan(source: source, session: SessionPlan(StatedSession(), on: source))
    plan.end = .zero + length
    plan.keepsTrace = true
    let start = try plan.session.begin(on: source)
    let (listener, descriptor) = system.makeListener()
    self.listener = listener
    let stub = GDBStub(
      ChipTimeline(
        source, start.header, inputs: [], end: .zero, isLive: true, memoryMax: 1 << 24),
      SessionMoments(source, start.header, events: [], end: .zero), source.program.sourceMap)
    server = GDBServer(
      on: system, listeners: [descriptor], stub, isLive: true
    ) { [remarks, ended] line in
      if line.hasPrefix("The session has ended.") {
        ended.act?()
      } else {
        remarks.lines.append(line)
      }
    }
    let queue = system.makeSignals()
    signals = queue.pipe
    system.signals = queue.pipe
    var links = LiveLinks(notices: .host(try Mailbox(on: system)), system: system)
    links.port = LivePort(try PtyPort.make(baud: 9_600, isReplaceable: true, on: system))
    links.signals = FileDescriptor(rawValue: queue.descriptor)
    links.debugger = server
    let sinks = LiveSinks(
      start.header, showsTrace: false, view: nil, recording: nil, isKept: true)
    bench = try LiveBench(plan, on: source, links, Session(start, life: plan.life), sinks)
    ended.act = { [unowned self] in
      if let atEnd { atEnd(self) } else { for socket in system.sockets { socket.reset() } }
    }
  }

  /// A GDB connects, and sends packets.
  func connect(_ packets: String...) -> MemorySocket {
    let socket = system.connect(to: listener, capacities: [8_192])
    send(packets, on: socket)
    return socket
  }

  func send(_ packets: [String], on socket: MemorySocket) {
    for packet in packets {
      let sum = packet.utf8.reduce(0, &+)
      let digits = String(sum, radix: 16)
      let text = "$\(packet)#\(digits.count == 1 ? "0" : "")\(digits)"
      socket.send(Array(text.utf8), isData: false)
    }
  }

  func write(_ text: String) {
    if !sender.isOpen, let pty = system.ptys.first { sender.open(pty) }
    sender.write(Array(text.utf8))
  }

  func signal(_ number: CInt) { system.signal(number, signals) }

  /// Lets actions happen at times of the computer's clock, from the beginning.
  func run(_ actions: (after: Interval, act: () -> Void)...) throws -> Result {
    try run(actions)
  }

  func run(_ actions: [(after: Interval, act: () -> Void)]) throws -> Result {
    let begin = system.time
    for action in actions { system.at(begin + action.after, action.act) }
    let ending = try bench.run()
    var reader = try TraceReader(
      text: bench.outputs.trace(at: bench.session.now) ?? [], path: "trace")
    var events: [Event] = []
    while let event = try reader.next() { events.append(event) }
    return Result(
      ending: ending, events: events, took: system.time - begin, remarks: remarks.lines)
  }

  /// Whether the board and the debugger's copy of it are the same after the session.
  var isMirrored: Bool {
    let board = bench.session.board.device
    var timeline = server.stub.timeline
    for input in bench.session.takeInputs() { timeline.append(input) }
    timeline.extend(to: board.now)
    (timeline.breakpoints, timeline.watchpoints) = ([], [])
    timeline.resume(.to(cycle: timeline.cycle(at: board.now)))
    while timeline.proceed(forAbout: 1 << 20) == nil, !timeline.isAtFrontier {}
    let copy = timeline.device
    let isSameMemory = (0..<UInt16(0x900)).allSatisfy {
      board.chip[data: $0] == copy.chip[data: $0]
    }
    return isSameMemory && board.chip.programCounter == copy.chip.programCounter
      && board.chip.cycle == copy.chip.cycle
  }

  struct Result {
    var ending: SessionLife.Ending
    var events: [Event]
    /// How long it took by the computer's clock.
    var took: Interval
    var remarks: [String]

    /// When D7 rose.
    var rises: [Instant] {
      events.compactMap { event in
        if case .output(.pin(_, isHigh: true)) = event.kind { event.time } else { nil }
      }
    }

    var arrivals: [Instant] {
      events.compactMap { if case .receive = $0.kind { $0.time } else { nil } }
    }
  }
}

extension MemorySocket {
  /// What the client has read.
  var text: String { String(decoding: received, as: UTF8.self) }
}
