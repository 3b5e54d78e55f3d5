import Engine
import Traces

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
