package import Aim
import Devices
import Engine
import Logging
import Network
import Platform
import Serial
package import Sketches
import SystemPackage
import Traces

/// Sends observations to a turret in real time.
package enum LiveAim {
  package struct Plan {
    /// The receiver of the commands, an address or a port; nil if there is none.
    var target: String?
    /// A port's speed in bits a second.
    var baud: Int
    /// The trusted authorities, a PEM file; nil for the system's.
    var authorities: String?
    /// A file of tokens, of which the first is presented; nil to present none.
    var tokenFile: String?
    /// A path, or `-` for standard input.
    var input: String
    var options: AimOptions
    /// The maximum number of commands a second.
    var rate: Double?
    /// The address on which the robot vision phone is served, HOST:PORT.
    var serve: String?
    /// The format of the answers of `serve`.
    var form: VisionForm

    package init(
      target: String?, baud: Int, authorities: String?, tokenFile: String?, input: String,
      options: AimOptions, rate: Double?, serve: String?, form: VisionForm
    ) {
      self.target = target
      self.baud = baud
      self.authorities = authorities
      self.tokenFile = tokenFile
      self.input = input
      self.options = options
      self.rate = rate
      self.serve = serve
      self.form = form
    }
  }

  package static func run(_ plan: Plan) throws {
    let display = AimDisplay(target: plan.target)
    var sending = SendingPlan(log: Logger(label: "sentrybench") { _ in SwiftLogNoOpLogHandler() })
    do throws(NetworkError) {
      if let target = plan.target {
        if target.contains("://") {
          sending.target = try networkTarget(target, plan, display)
        } else {
          try checkPort(target)
          sending.port = { CommandPort(path: target, speed: plan.baud, on: $0) }
        }
      }
      if let serve = plan.serve {
        guard let endpoint = Endpoint(serve) else {
          throw NetworkError(.usage, "error: --serve \(serve): HOST:PORT is expected")
        }
        sending.serving = endpoint
        sending.form = plan.form
      }
    } catch {
      throw Failure(error)
    }

    // Opened here, so that a missing file is reported before anything moves.
    let reader = try ObservationReader(path: plan.input)
    let aimer = try reader.makeAimer(plan.options)
    let session = AimSession(reader, aimer, rate: plan.rate, display)
    let unsent: Command?
    do throws(NetworkError) {
      unsent = try SendingLoop.run(sending, for: session)
    } catch {
      throw Failure(error)
    }
    let tally = session.tally
    display.end(
      with: "frames: \(tally.frames), with a target: \(tally.targets), "
        + "commands: \(session.commands)")
    if let note = tally.note { Console.report("\(plan.input): note: \(note)") }

    let outcome = AimOutcome(
      wasPlayed: session.wasPlayed, wasThere: display.hasConnected, unsent: unsent,
      refusal: session.refusal, trouble: display.trouble)
    let problem = outcome.problem.map { "\(display.name): error: \($0)" }
    if let failure = session.failure {
      if let problem { Console.report(problem) }
      throw failure
    }
    if let problem { throw Failure(.unavailable, problem) }
  }

  private static func networkTarget(
    _ text: String, _ plan: Plan, _ display: AimDisplay
  ) throws(NetworkError) -> SenderTarget {
    var target = try SenderTarget(text, authorities: plan.authorities)
    if let path = plan.tokenFile {
      let file = try TokenFile.read(path: path)
      file.warnings.forEach(display.report)
      try target.present(file.tokens[0])
    }
    return target
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
}

/// The delivery of commands to the target.
struct AimOutcome: Hashable {
  /// Whether a recording was played; false if its target was never connected.
  var wasPlayed = true
  /// Whether the target was ever connected.
  var wasThere = true
  /// The newest command, if it may not have arrived.
  var unsent: Command?
  /// The target's last error message.
  var refusal: String?
  /// Why there is no connection; empty if there is one or the reason is unknown.
  var trouble = ""

  /// What prevented commands from reaching the turret, and why; nil if nothing did.
  var problem: String? {
    let what: String
    if !wasPlayed {
      let patience = String(readable: AimLife.audiencePatience)
      what = "could not be reached within \(patience), and nothing was sent"
    } else if let unsent, wasThere {
      let command = String(decoding: unsent.bytes, as: UTF8.self)
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
