import Devices
import Engine
import Judging
import Platform
import Sketches
import SystemPackage
import Traces

/// The bench of a live scenario: this program's command `run` in a process of its own.
final class SuiteBench {
  private var child: ChildProcess
  private let command: SuiteCommand
  /// What it reports, and what its sender prints.
  private let report: FileDescriptor
  private let output: FileDescriptor
  private var reportText: [UInt8] = []
  private var outputTail = ErrorTail(keeping: SuiteOutput.keptMax)
  private var isReportOpen = true
  private var isOutputOpen = true
  private let start = ContinuousClock().now

  /// Starts the command in the folder of its scenario's file. `program` starts this program.
  init(_ command: SuiteCommand, _ program: [String], recording: String?) throws(Failure) {
    self.command = command
    let reports: (readEnd: FileDescriptor, writeEnd: FileDescriptor)
    let outputs: (readEnd: FileDescriptor, writeEnd: FileDescriptor)
    do {
      reports = try FileDescriptor.closeOnExecPipe()
      outputs = try FileDescriptor.closeOnExecPipe()
    } catch {
      throw Failure(.unavailable, "error: cannot create a pipe for a bench: \(error)")
    }
    defer {
      try? reports.writeEnd.close()
      try? outputs.writeEnd.close()
    }
    for end in [reports.readEnd, outputs.readEnd] { _ = fcntl(end.rawValue, F_SETFL, O_NONBLOCK) }
    (report, output) = (reports.readEnd, outputs.readEnd)
    child = try ChildProcess.start(
      program + command.words(recording: recording),
      wiring: .init(
        output: reports.writeEnd, errors: outputs.writeEnd,
        folder: command.test.folder.isEmpty ? nil : command.test.folder, isCompanion: false))
  }

  deinit {
    try? report.close()
    try? output.close()
  }

  /// The descriptors on which output can still arrive.
  var descriptors: [FileDescriptor] {
    (isReportOpen ? [report] : []) + (isOutputOpen ? [output] : [])
  }

  /// Reads what it has printed.
  func read() {
    while isReportOpen, let bytes = Self.read(report, &isReportOpen) {
      // A report that is too long is read to its end, but not kept.
      if reportText.count <= BenchReport.lengthMax { reportText += bytes }
    }
    while isOutputOpen, let bytes = Self.read(output, &isOutputOpen) { outputTail.append(bytes) }
  }

  /// Returns the bytes that have arrived; nil if there are none now, or no more at all.
  private static func read(_ end: FileDescriptor, _ isOpen: inout Bool) -> [UInt8]? {
    var bytes = [UInt8](repeating: 0, count: 1 << 14)
    do {
      let count = try bytes.withUnsafeMutableBytes {
        try end.read(into: $0, retryOnInterrupt: true)
      }
      if count > 0 { return Array(bytes[..<count]) }
      isOpen = false
    } catch {
      if error as? Errno != .resourceTemporarilyUnavailable { isOpen = false }
    }
    return nil
  }

  /// Whether it has ended.
  func hasEnded() -> Bool {
    child.updateStatus()
    return child.status != nil
  }

  func send(_ number: CInt) { child.send(number) }

  /// Returns the result after it has ended. Kills what is still running of its process group.
  func finish() -> SuiteResult {
    read()
    child.kill()
    var result = BenchReport(reportText)?.result(in: command.test.folder) ?? unreported
    result.elapsed = ContinuousClock().now - start
    result.output = outputTail
    return result
  }

  /// The result of a bench that reported nothing. Its last message is the reason.
  private var unreported: SuiteResult {
    let status = child.status ?? .unavailable
    if !command.isJudged {
      var result = SuiteResult(.passed)
      if status != .agree {
        result.outcome = .failed([
          SuiteFailure("the sender ended with status \(status.rawValue)")
        ])
      }
      result.sender = SuiteSender(status: Int(status.rawValue), signal: nil)
      return result
    }
    if let signal = child.endingSignal {
      return SuiteResult(.error(.unavailable, "error: the bench was ended by signal \(signal)"))
    }
    let lines = outputTail.text.split(separator: "\n").map { String($0) }
    let message = lines.last { $0.lowercased().contains("error: ") } ?? lines.last
    return SuiteResult(
      .error(
        status,
        message ?? "error: the bench ended with status \(status.rawValue) without a report"))
  }
}

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
    if let pty = scenario.pty { words.append("--pty=\(pty)") }
    if let baud = scenario.baud { words.append("--baud=\(baud)") }
    if let length = scenario.length {
      words.append("--for=\(String(shortest: length))s")
    } else if isJudged {
      words.append(limit.map { "--timeout=\(String(shortest: $0))s" } ?? "--timeout=0")
    }
    if !isJudged { words += scenario.faults.map { "--fault=\($0.text)" } }
    if let seed = scenario.seed, !scenario.faults.isEmpty { words.append("--seed=\(seed)") }
    if let recording { words.append("--record=\(recording)") }
    return words + ["--", "sh", "-c", command]
  }
}

/// What `run --json` prints about a session: a JSON object on one line.
struct BenchReport: Hashable, Sendable {
  enum Verdict: String {
    case agrees, disagrees, error
  }

  var verdict: Verdict
  var status: ExitStatus
  var message: String
  var ruleCount: Int
  var failures: [SuiteFailure]
  /// The sender's wrong speed as a sentence.
  var wrongSpeed: String?
  /// What the sender probably meant and did not get.
  var meant: [String] = []
  var sender: SuiteSender?

  /// The maximum size of a report, in bytes.
  static let lengthMax = 1 << 24

  /// Parses the last line that the bench printed; nil if that is not a report.
  init?(_ text: [UInt8]) {
    guard let line = text.split(separator: 0x0A).last,
      let json = try? JSONValue.contents(of: Array(line), path: ""),
      let verdict = json["verdict"]?.string.flatMap(Verdict.init),
      let status = json["status"]?.int.flatMap(Int32.init(exactly:))
    else { return nil }
    self.verdict = verdict
    self.status = ExitStatus(rawValue: status)
    message = json["message"]?.string ?? ""
    ruleCount = json["rules"]?.int ?? 0
    failures = []
    if case .array(let items)? = json["failures"] {
      failures = items.map { item in
        SuiteFailure(
          place: item["place"]?.string ?? "", rule: item["rule"]?.string ?? "",
          text: item["text"]?.string ?? "")
      }
    }
    wrongSpeed = json["wrong_speed"]?.string
    if case .array(let lines)? = json["meant"] { meant = lines.compactMap(\.string) }
    if let sender = json["sender"], case .object = sender {
      self.sender = SuiteSender(
        status: sender["status"]?.int, signal: sender["signal"]?.int,
        standardError: sender["stderr"]?.string ?? "")
    }
  }

  /// Returns the result of a scenario whose file is in `folder`, where the bench ran. The places in
  /// it begin with the folder.
  func result(in folder: String) -> SuiteResult {
    var result = SuiteResult(.passed)
    switch verdict {
    case .agrees: break
    case .disagrees:
      var all = failures.map { failure in
        var failure = failure
        if !failure.place.isEmpty, !failure.place.hasPrefix("/") {
          failure.text = folder + failure.text
          failure.place = folder + failure.place
        }
        return failure
      }
      if all.isEmpty || !message.isEmpty { all.insert(SuiteFailure(message), at: 0) }
      result.outcome = .failed(all)
    case .error:
      // If the sender failed, the status is the sender's own and not an error of the bench.
      result.outcome =
        sender?.isWell == false || status == .timeout
        ? .failed([SuiteFailure(message)] + failures)
        : .error(status, message)
    }
    result.ruleCount = ruleCount
    result.wrongSpeed = wrongSpeed
    result.meant = meant
    result.sender = sender
    return result
  }
}

extension JSONValue {
  fileprivate var string: String? {
    if case .string(let text) = self { text } else { nil }
  }

  fileprivate var int: Int? {
    if case .number(let digits) = self { Int(digits) } else { nil }
  }
}
