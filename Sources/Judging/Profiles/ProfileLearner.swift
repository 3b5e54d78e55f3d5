package import Devices
import Sketches
package import Traces

/// Proposes a profile for a sketch from what it does with the bytes of a session.
package struct ProfileLearner<Source: DeviceSource> {
  /// How long a sketch can take to start.
  private static var startMax: Interval { .seconds(3) }
  /// The longest text, in bytes, with which a sketch can report that it listens.
  private static var bootMax: Int { 80 }

  private let source: Source
  private let events: [Event]
  private let baud: Int
  /// The speed that the sketch sets; nil if that is unknown.
  private let speed: Int?

  /// `events` and `header` are those of the session.
  package init(_ source: Source, header: Header, events: [Event]) {
    self.source = source
    self.events = events
    speed = source.findSpeed()
    baud = speed ?? header.baud
  }

  /// Throws if the device cannot be created, or the program crashes at the start.
  package func learn() throws(DeviceError) -> ProfileProposal {
    let header = Header(firmware: .guarded, baud: baud, duration: nil, title: nil)
    var device = try source.makeDevice(for: header, firmware: .guarded, showsPulses: false)
    device.watch(.all)
    let own = device.capabilities.ownServo
    var start = Simulation(device)
    var outputs: [Output] = []
    while start.step(to: .zero + Self.startMax) { outputs += start.outputs.map { $0.output } }
    if let fault = start.fault { throw fault }

    var proposal = ProfileProposal(own: own)
    proposal.baud = speed
    proposal.boot = Self.boot(TrialEffect(outputs).answer)
    let sent = events.flatMap { event -> [UInt8] in
      if case .receive(let bytes) = event.kind { bytes } else { [] }
    }
    var splitter = SessionSplitter(
      SketchTrial(start.device, at: start.now, baud: baud),
      lineEnd: SessionPiece.lineEnd(of: sent))
    for piece in SessionPiece.pieces(events, baud: baud) {
      if splitter.isFull { break }
      splitter.take(piece)
    }
    outputs += splitter.outputs
    proposal.commandCount = splitter.commandCount
    proposal.rest = splitter.rest
    proposal.pause = splitter.pause
    for output in outputs { proposal.see(output) }
    let checksum = ChecksumSearch.text(in: splitter.commands.map { $0.bytes })
    for (commands, firstIsNumber) in Self.alike(splitter.commands, own: own, checksum) {
      // Commands that another form accepts, such as letters of the other case, need none.
      if commands.allSatisfy({ proposal.accepts($0.bytes) }) { continue }
      let learner = FormLearner(commands, own: own, pause: splitter.pause, textChecksum: checksum)
      if let form = learner.learn(firstIsNumber: firstIsNumber) {
        proposal.add(form)
      } else {
        proposal.leaveOut(commands[0].bytes)
      }
    }
    proposal.check(sent)
    return proposal
  }

  /// Returns the commands in groups that are alike, in order of appearance, and for each whether
  /// the first byte can be a number.
  private static func alike(
    _ commands: [LearnedCommand<Source.Made>], own: BoardPin, _ checksum: CommandChecksum?
  ) -> [(commands: [LearnedCommand<Source.Made>], firstIsNumber: Bool)] {
    typealias Key = FormLearner<Source.Made>.Key
    var groups: [(key: Key, commands: [LearnedCommand<Source.Made>])] = []
    func add(_ commands: [LearnedCommand<Source.Made>], _ key: Key) {
      if let index = groups.firstIndex(where: { $0.key == key }) {
        groups[index].commands += commands
      } else {
        groups.append((key, commands))
      }
    }
    for command in commands { add([command], Key(command.bytes, checksum: checksum)) }
    // Binary commands of one length whose first bytes are numbers are one command.
    let first = groups
    groups = []
    for (key, commands) in first {
      if case .binary(_, let count) = key, FormLearner(commands, own: own).beginsWithNumber {
        add(commands, .binary(nil, count))
      } else {
        add(commands, key)
      }
    }
    return groups.map { key, commands in
      (commands, key == .binary(nil, commands[0].bytes.count))
    }
  }

  /// Returns the last line of what a sketch sends at its start; empty if it sends too much, or
  /// nothing.
  private static func boot(_ sent: [UInt8]) -> [UInt8] {
    guard sent.count <= bootMax else { return [] }
    let lines = sent.split { $0 == 0x0A || $0 == 0x0D }
    return lines.last.map { Array($0) } ?? []
  }
}
