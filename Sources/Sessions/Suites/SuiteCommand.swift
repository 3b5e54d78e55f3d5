import Traces
import Turret
import Verification

/// The command line of a live scenario's bench.
struct SuiteCommand {
  let test: SuiteTest
  /// How long a sender can take if its scenario states no time; zero for no limit.
  let timeout: Interval
  /// Whether the bench judges the session. If not, it only records it, because the trace that the
  /// session must agree with does not exist yet.
  let isJudged: Bool

  static let usualTimeout = Interval.seconds(60)

  /// How long the sender can take; nil for no limit.
  var limit: Interval? {
    let limit = test.scenario.length ?? test.scenario.timeout ?? timeout
    return limit == .zero ? nil : limit
  }

  /// Returns the words after the program's name. `recording` is the file for the session's trace,
  /// nil for none.
  func words(recording: String?) -> [String] {
    let scenario = test.scenario
    guard case .command(let command) = scenario.sender else { return [] }
    var words = ["run", "-q", "--websocket=127.0.0.1:0", "--tcp=127.0.0.1:0"]
    // Paths in the file are relative to its folder, in which the bench runs.
    if isJudged { words += ["--rules=\(test.fileName)", "--scenario=\(scenario.name)", "--json"] }
    if let firmware = scenario.firmware { words.append("--firmware=\(firmware.rawValue)") }
    // A profile that is part of the scenario is read together with its rules.
    if case .file(let profile)? = scenario.profile { words.append("--profile=\(profile)") }
    if let device = scenario.device { words.append("--device=\(device)") }
    words += scenario.options
    if let baud = scenario.baud { words.append("--baud=\(baud)") }
    if let length = scenario.length {
      words.append("--for=\(String(shortest: length))s")
    } else if isJudged {
      words.append(limit.map { "--timeout=\(String(shortest: $0))s" } ?? "--timeout=0")
    }
    if let recording { words.append("--record=\(recording)") }
    return words + ["--", "sh", "-c", command]
  }
}
