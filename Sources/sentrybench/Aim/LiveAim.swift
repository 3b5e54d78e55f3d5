import Aim
import Gateway
import Logging
import Traces

/// Observations to a turret in real time.
enum LiveAim {
  struct Plan {
    /// Where the commands go: an address or a port; nil: nowhere.
    var target: String?
    /// The authorities to trust, a PEM file; nil: the system's.
    var authorities: String?
    /// A path; `-` is standard input.
    var input: String
    var options: AimOptions
    /// Commands a second at most.
    var rate: Double?
    /// Where the robot vision phone is to be reached, HOST:PORT.
    var serve: String?
    /// How it answers.
    var form: VisionForm
  }

  static func run(_ plan: Plan) throws {
    let display = AimDisplay(target: plan.target)
    var sending = SendingPlan(log: Logger(label: "sentrybench") { _ in SwiftLogNoOpLogHandler() })
    var port: PortSender?
    do throws(GatewayError) {
      if let target = plan.target {
        if target.contains("://") {
          sending.target = try SenderTarget(target, authorities: plan.authorities)
        } else {
          port = PortSender(path: target) { display.show(state: $0) }
        }
      }
      if let serve = plan.serve {
        guard let endpoint = Endpoint(serve) else {
          throw GatewayError(.usage, "error: --serve \(serve): HOST:PORT is expected")
        }
        sending.serving = endpoint
        sending.form = plan.form
      }
    } catch {
      throw Failure(error)
    }
    sending.onState = { display.show(state: $0.description) }
    sending.onNotice = { display.tell("\($0.code): \($0.message)") }
    var unsent: [UInt8]?
    sending.onEnd = { unsent = $0 }
    sending.onServing = { for address in $0 { display.tell("the vision phone is at \(address)") } }

    // Opened here, so that a file that is not there is told of before anything moves.
    let source = try AimSource(plan.input, plan.options)
    let session = AimSession(
      source, CommandPace(rate: plan.rate), port, display,
      isTrueAngle: plan.options.mapping == .fov)
    do throws(GatewayError) {
      try SendingStage.run(sending) { session.begin($0) }
    } catch {
      throw Failure(error)
    }
    display.end()
    let problem = (port?.unsent ?? unsent).map { command in
      display.hasConnected
        ? "the last command, \(String(decoding: command, as: UTF8.self)), could not be sent"
        : "it was never there, and no command was sent"
    }.map { "\(display.name): error: \($0)" }
    if let failure = session.failure {
      if let problem { Console.report(problem) }
      throw failure
    }
    if let problem { throw Failure(.unavailable, problem) }
  }
}
