package import Aim
import Devices
package import Engine
import Logging
import Network
import Platform
import Serial
package import Sketches
import SystemPackage
import Traces
import TurretLink

/// Sends observations to a turret in real time, or prints what would be sent.
package struct AimRun {
  /// A path, or `-` for standard input.
  private let input: String
  private let options: AimOptions
  /// The sketch's commands; nil for those of guarded.
  private let profile: ProfileChoice?
  /// The maximum number of commands a second; nil to send each with its frame.
  package var rate: Double?
  /// The receiver of the commands, an address or a port, or `-` for a trace on standard output; nil
  /// if there is none.
  package var target: String?
  /// A port's speed in bits a second.
  package var baud = SerialLine.usualBaud
  /// The trusted authorities, a PEM file; nil for the system's.
  package var authorities: String?
  /// A file of tokens, of which the first is presented; nil to present none.
  package var tokenFile: String?
  /// The address on which the robot vision phone is served, HOST:PORT.
  package var serve: String?
  package var form = VisionForm.fields

  /// `profile` is what the header of a trace states of the sketch's commands.
  package init(_ input: String, _ options: AimOptions, profile: ProfileChoice? = nil) {
    self.input = input
    self.options = options
    self.profile = profile
    baud = profile?.ownProfile?.baud ?? baud
  }

  package func run() throws {
    if target == "-" { try printTrace() } else { try send() }
  }

  private func send() throws {
    let display = AimDisplay(target: target)
    let sending: SendingPlan
    do throws(NetworkError) {
      sending = try plan(display)
    } catch {
      throw Failure(error)
    }
    // Opened here, so that a missing file is reported before anything moves.
    let reader = try ObservationReader(path: input)
    let aimer = try reader.makeAimer(options)
    let session = AimSession(reader, aimer, rate: rate, display)
    let unsent: LinkCommand?
    do throws(NetworkError) {
      unsent = try SendingLoop.run(sending, for: session)
    } catch {
      throw Failure(error)
    }
    let tally = session.tally
    display.end(
      with: "frames: \(tally.frames), with a target: \(tally.targets), "
        + "commands: \(session.life.commands)")
    if let note = tally.note { Console.report("\(input): note: \(note)") }

    let outcome = AimOutcome(
      wasPlayed: session.life.wasPlayed, wasThere: display.hasConnected, unsent: unsent,
      refusal: session.refusal, trouble: display.trouble)
    let problem = outcome.problem.map { "\(display.name): error: \($0)" }
    if let failure = session.failure {
      if let problem { Console.report(problem) }
      throw failure
    }
    if let problem { throw Failure(.unavailable, problem) }
  }

  /// Where the commands are sent, and where the phone is served.
  private func plan(_ display: AimDisplay) throws(NetworkError) -> SendingPlan {
    var sending = SendingPlan(log: Logger(label: "sentrybench") { _ in SwiftLogNoOpLogHandler() })
    if let target, target.contains("://") {
      var network = try SenderTarget(target, authorities: authorities)
      if let tokenFile {
        let file = try TokenFile.read(path: tokenFile)
        file.warnings.forEach(display.report)
        try network.present(file.tokens[0])
      }
      sending.target = network
    } else if let target {
      try Self.checkPort(target)
      sending.port = { CommandPort(path: target, speed: baud, on: $0) }
    }
    if let serve {
      guard let endpoint = Endpoint(serve) else {
        throw NetworkError(.usage, "error: --serve \(serve): HOST:PORT is expected")
      }
      sending.serving = endpoint
      sending.form = form
    }
    return sending
  }

  /// Throws for a path that can never be a port. A missing port is allowed: it may appear later.
  private static func checkPort(_ path: String) throws(NetworkError) {
    let type = (try? FilePath(path).stat())?.type
    if type == nil {
      guard let endpoint = Endpoint(path), !path.hasPrefix("/") else { return }
      throw NetworkError(
        .usage,
        "error: --to \(path): that is an address: use ws://\(endpoint)/ or tcp://\(endpoint)")
    }
    if type != .characterSpecial || path == "/dev/null" {
      throw NetworkError(
        .usage, "error: --to \(path): that is not a port; `--to -` prints the commands, as a trace")
    }
  }

  /// Prints a trace without waiting: a header, and each command as an `rx` event at its frame's
  /// time.
  private func printTrace() throws {
    var reader = try ObservationReader(path: input)
    var aimer = try reader.makeAimer(options)
    var stream = CommandStream(options, rate: rate)
    var tally = AimTally(options)
    var header = Header(firmware: .guarded, baud: baud, duration: nil, title: nil)
    header.set(source: "sentrybench, aim")
    if let own = profile?.ownProfile { header.set(profile: JSONValue(own)) }
    if let name = profile?.profile?.name { header.set(sketch: name) }
    var lines: [UInt8] = []
    lines.appendLine(header)
    func add(_ sent: CommandStream.Pace.Sent?) {
      guard let sent else { return }
      lines.appendLine(Event(sent.time, .receive(sent.command.bytes)))
    }
    while true {
      // Writes what is already known before waiting for the next frame.
      let waits = !reader.hasNext
      if waits || lines.count >= 1 << 14 {
        try Console.write(lines)
        lines.removeAll(keepingCapacity: true)
        if waits { try Console.flush() }
      }
      let frame: Frame?
      do throws(TraceError) {
        frame = try reader.next()
      } catch {
        // Keeps what precedes the error, including the command that was still waiting.
        add(stream.finish())
        try Console.write(lines)
        throw error
      }
      guard let frame else { break }
      add(stream.advance(to: reader.time))
      let sighting = aimer.sight(frame)
      if let note = tally.take(frame, sighting) { Console.report("\(input): note: \(note)") }
      stream.take(sighting.wanted, sighting.place, at: reader.time).forEach(add)
    }
    add(stream.finish())
    try Console.write(lines)
    if let note = tally.note { Console.report("\(input): note: \(note)") }
  }
}

/// The delivery of commands to the target.
struct AimOutcome: Hashable {
  /// Whether a recording was played; false if its target was never connected.
  var wasPlayed = true
  var wasThere = true
  /// The newest command, if it may not have arrived.
  var unsent: LinkCommand?
  var refusal: String?
  /// Why there is no connection; empty if there is one or the reason is unknown.
  var trouble = ""

  /// What prevented commands from reaching the turret, and why; nil if nothing did.
  var problem: String? {
    let what: String
    if !wasPlayed {
      let time = String(readable: AimLife.audienceTimeMax)
      what = "could not be reached within \(time), and nothing was sent"
    } else if let unsent, wasThere {
      let command = CommandForm(unsent.bytes.map { .byte($0) }).description
      what = "the last command, \(command), may not have arrived"
    } else if unsent != nil {
      what = "was never reached, and no command was sent"
    } else if refusal != nil {
      what = "did not accept every command"
    } else {
      return nil
    }
    let why = unsent == nil && wasPlayed ? refusal ?? "" : trouble
    return why.isEmpty ? what : "\(what); \(why)"
  }
}

/// Counts what was seen and, if nothing was aimed at, explains why: most causes are mistakes that a
/// sentence can correct.
struct AimTally {
  private static let labelsMax = 5

  private let options: AimOptions
  private(set) var frames = 0
  private(set) var targets = 0
  /// These describe the frames before the first target.
  private var found = 0
  private var outside = 0
  private var hasRectangles = false
  private var wasNoted = false
  private var labels: Set<String> = []

  init(_ options: AimOptions) { self.options = options }

  /// Returns what is to be said about the frame, once.
  mutating func take(_ frame: Frame, _ sighting: Sighting) -> String? {
    frames += 1
    if sighting.angles != nil { targets += 1 }
    guard targets == 0 else {
      guard sighting.lacksLandmark, !wasNoted else { return nil }
      wasNoted = true
      return
        "the target has no landmarks for --at \(options.at.rawValue), so the middle of its box "
        + "is aimed at"
    }
    for one in frame.found {
      found += 1
      if let box = one.box, one.kind != .class, !box.isPlausible { outside += 1 }
      if one.kind == .rectangle { hasRectangles = true }
      if let label = one.label, labels.count <= Self.labelsMax { labels.insert(label) }
    }
    return nil
  }

  /// Nil if there was a target, or nothing that could have been one.
  var note: String? {
    guard targets == 0, found > 0 else { return nil }
    return
      "nothing was aimed at, though \(found) \(found == 1 ? "thing was" : "things were") seen: "
      + reason
  }

  private var reason: String {
    if outside == found {
      return
        "no box lies in the picture; a box is [x, y, width, height] in shares of the picture, "
        + "0 to 1"
    }
    let wanted = [options.label, options.require?.label].compactMap(\.self)
    if let missing = wanted.first(where: { !labels.contains($0) }), labels.count <= Self.labelsMax {
      let seen = labels.sorted().map { "`\(PlainText.of($0, upTo: 40))`" }.joined(separator: ", ")
      return "none has the label `\(missing)`; "
        + (labels.isEmpty ? "none has any, and `kind` is not a label" : "the labels are \(seen)")
    }
    if options.strips != nil {
      return hasRectangles
        ? "no two rectangles of a frame make a pair of strips"
        : "pairs of strips are made of rectangles, and there are none"
    }
    return "nothing passed the options"
  }
}
