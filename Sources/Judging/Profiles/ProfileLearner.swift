package import Devices
import Sketches
package import Traces

/// Proposes a profile for a sketch from what it does with the bytes of a session.
package struct ProfileLearner<Source: DeviceSource> {
  /// How long a sketch can take to start.
  private static var startMax: Interval { .seconds(3) }
  /// The longest text, in bytes, with which a sketch can report that it listens.
  private static var bootMax: Int { 80 }

  /// How long a sketch is left alone, to see what it sends by itself.
  private static var quietTime: Interval { .seconds(4) }

  private let source: Source
  private let events: [Event]
  private let baud: Int
  /// The speed that the sketch sets; nil if that is unknown.
  private let speed: Int?
  /// Whether no more time is left to try.
  private let isOver: @Sendable () -> Bool
  /// Is told what is done next.
  private let report: (String) -> Void

  /// `events` and `header` are those of the session. When `isOver`, nothing else is tried: the
  /// proposal says what was not. `report` is told what is done next.
  package init(
    _ source: Source, header: Header, events: [Event],
    isOver: @escaping @Sendable () -> Bool = { false },
    report: @escaping (String) -> Void = { _ in }
  ) {
    self.source = source
    self.events = events
    self.isOver = isOver
    self.report = report
    speed = source.findSpeed()
    baud = speed ?? header.baud
  }

  private typealias Learner = FormLearner<Source.Made>
  /// Commands that are alike: those that were examined, and the bytes of all.
  private typealias Group = (
    key: Learner.Key, commands: [LearnedCommand<Source.Made>], all: [[UInt8]]
  )

  /// Throws if the device cannot be created, or the program crashes at the start.
  package func learn() throws(DeviceError) -> ProfileProposal {
    report("the sketch starts")
    let header = Header(firmware: .guarded, baud: baud, duration: nil, title: nil)
    var device = try source.makeDevice(for: header, firmware: .guarded, showsPulses: false)
    device.watch(.all)
    let own = device.capabilities.ownServo
    var start = Simulation(device)
    func outputs(to end: Instant) -> [Output] {
      var outputs: [Output] = []
      while start.step(to: end) { outputs += start.outputs.map { $0.output } }
      return outputs
    }
    let first = outputs(to: .zero + Self.startMax)
    let quiet = outputs(to: .zero + Self.startMax + Self.quietTime)
    if let fault = start.fault { throw fault }

    var proposal = ProfileProposal(own: own)
    proposal.baud = speed
    proposal.boot = Self.boot(TrialEffect(first).answer)
    let pieces = SessionPiece.pieces(events, baud: baud)
    let trial = SketchTrial(
      start.device, at: start.now, baud: baud, unprompted: UnpromptedText(quiet))
    var splitter = SessionSplitter(trial, pieces)
    for (index, piece) in pieces.enumerated() {
      if isOver() {
        proposal.unusedCount = pieces[index...].reduce(0) { $0 + $1.bytes.count }
        break
      }
      report("piece \(index + 1) of \(pieces.count) of the session")
      splitter.take(piece)
    }
    splitter.finish()
    proposal.commandCount = splitter.all.count
    proposal.rest = splitter.rest
    proposal.pause = splitter.pause
    for output in first + quiet + splitter.outputs { proposal.see(output) }
    var session = Learner.Session(own: own, isText: splitter.isText, pause: splitter.pause)
    session.isOver = isOver
    session.times = splitter.times
    session.moving = splitter.commands.filter { $0.moves }.map { $0.bytes }
    if splitter.isText {
      session.textChecksum = ChecksumSearch.text(in: splitter.commands.map { $0.bytes })
    }
    for group in groups(of: splitter, session) {
      // Commands that another form accepts, such as letters of the other case, need none.
      if group.commands.allSatisfy({ proposal.accepts($0.bytes) }) { continue }
      let name = CommandForm.text(of: group.commands[0].bytes.prefix(40))
      report("commands like \(name)")
      let learner = Learner(group.commands, all: group.all, session)
      if let form = learner.learn(firstIsNumber: Self.beginsWithNumber(group)) {
        proposal.add(form)
      } else {
        proposal.leaveOut(group.commands[0].bytes)
      }
    }
    proposal.check(splitter.all, moving: session.moving)
    return proposal
  }

  private static func beginsWithNumber(_ group: Group) -> Bool {
    if case .binary(nil, _) = group.key { true } else { false }
  }

  /// Returns the commands that are alike in groups, in order of appearance.
  private func groups(
    of splitter: SessionSplitter<Source.Made>, _ session: Learner.Session
  ) -> [Group] {
    var groups: [Group] = []
    func add(_ group: Group) {
      if let index = groups.firstIndex(where: { $0.key == group.key }) {
        groups[index].commands += group.commands
        groups[index].all += group.all
      } else {
        groups.append(group)
      }
    }
    func key(_ bytes: [UInt8]) -> Learner.Key {
      Learner.Key(bytes, isText: session.isText, checksum: session.textChecksum)
    }
    for bytes in splitter.all { add((key(bytes), [], [bytes])) }
    for command in splitter.commands { add((key(command.bytes), [command], [])) }
    // Binary commands of one length whose first bytes are numbers are one command, and so are
    // lines with and without decimals.
    let found = groups
    groups = []
    for group in found where !group.commands.isEmpty {
      var key = group.key
      if case .binary(_, let count) = key,
        Learner(group.commands, all: group.all, session).beginsWithNumber
      {
        key = .binary(nil, count)
      } else if found.contains(where: {
        $0.key != key && $0.key.withoutDecimals == key.withoutDecimals
      }) {
        key = key.withoutDecimals
      }
      add((key, group.commands, group.all))
    }
    return groups
  }

  /// Returns the last line of what a sketch sends at its start; empty if it sends too much, or
  /// nothing.
  private static func boot(_ sent: [UInt8]) -> [UInt8] {
    guard sent.count <= bootMax else { return [] }
    let lines = sent.split { $0 == 0x0A || $0 == 0x0D }
    return lines.last.map { Array($0) } ?? []
  }
}
