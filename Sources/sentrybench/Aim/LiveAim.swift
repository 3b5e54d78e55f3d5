import Aim

/// Observations to a turret in real time.
enum LiveAim {
  struct Plan {
    /// Where the commands go: an address or a port.
    var target: String
    /// A path; `-` is standard input.
    var input: String
    var options: AimOptions
    /// Commands a second at most.
    var rate: Double?
    /// Where the robot vision phone is to be reached, HOST:PORT.
    var serve: String?
  }

  static func run(_ plan: Plan) throws {
    throw Failure(.usage, "error: \"\(plan.target)\" is no target; expected - for a trace")
  }
}
