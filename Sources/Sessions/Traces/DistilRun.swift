import Captures
import Devices
import Engine
import Judging
import Platform
package import Sketches
import Traces

/// Makes a short test from a session that went wrong.
package struct DistilRun: Sendable {
  private let job: TraceJob
  private let wanted: Firmware
  private let output: String
  /// The time from which on to look for what went wrong; nil for the session's start.
  package var since: Interval?

  /// - Parameters:
  ///   - job: the trace or recording, on the model.
  ///   - wanted: the sketch that behaves correctly.
  ///   - output: the path of the test; `-` is standard output.
  package init(_ job: TraceJob, wanted: Firmware, output: String) {
    self.job = job
    self.wanted = wanted
    self.output = output
  }

  package func run() throws {
    let (file, verbosity) = (job.trace, job.verbosity)
    let input = try job.open()
    var reader = try input.reader()
    let facts = try input.facts(on: job.choice)
    let fault = facts?.fault
    verbosity.report(fault, .reading, about: file)
    verbosity.report(reader.notes, about: file)
    if fault?.isWhole == true { throw Failure(.disagree) }
    try reader.limit(to: job.limit)
    let uncertainty = reader.header.uncertainty ?? .zero
    let session = try SessionInputs(&reader, for: "distil")
    let end = reader.header.shownEnd(lastEvent: reader.time)
    let length = end - Instant.zero
    let start = Instant.zero + (since ?? .zero)
    let name = file == "-" ? "standard input" : file.split(separator: "/").last.map(String.init)
    let source = "sentrybench distil, from \(name ?? file)"
    guard
      let test = DistilledTest.find(
        in: session, wanted: wanted, after: start, end: end, source: source)
    else {
      let place = since.map { " from \(String(readable: $0)) on" } ?? ""
      let faults = session.mishaps(after: start) + (facts?.unsentWords ?? [])
      guard fault == nil, faults.isEmpty else {
        let found = faults.isEmpty ? "" : ": \(faults.joined(separator: ", "))"
        throw Failure(
          .disagree,
          "\(file): no test was made\(place)\(found); \(session.firmware) took no command in "
            + "another way than it was meant. explain shows each byte")
      }
      throw Failure(
        .disagree,
        "\(file): nothing went wrong\(place): \(session.firmware) took each whole command as it "
          + "was meant")
    }
    // Both can be refused, so neither is written before.
    let trace = try OutputSlot(trace: output)
    let scenario = test.scenario == nil ? nil : try scenarioPath.map { try OutputSlot($0) }
    try trace.write(test.text)
    if let text = test.scenario { try scenario?.write(text) }
    guard verbosity != .quiet else { return }
    let time = String(canonical: test.trouble.time.roundedUpToMicrosecond)
    Console.report("\(file): \(time) s: \(test.trouble.text)")
    Console.report(
      "\(file): \(test.inputCount) of \(String(counting: session.events.count, "input")) kept; the "
        + "test takes \(String(readable: test.duration)) from the board's start, the session took "
        + String(readable: length))
    if let whose = whose(test) { Console.report("\(file): \(whose)") }
    Console.report("\(file): \(outcome(of: test, session.firmware))")
    if test.scenario != nil {
      let advice =
        "fill in the command that starts it in place of \(DistilledTest.placeholder)"
      Console.report(
        scenarioPath.map { "\($0): a scenario for the sender: \(advice)" }
          ?? "\(file): --output FILE also writes a scenario for the sender")
    }
    if uncertainty > .zero {
      Console.report(
        "\(file): the recorded times can be off by \(String(readable: uncertainty)); the test uses "
          + "them as recorded. explain shows in how many timings the same happens")
    }
  }

  /// The path of the scenario: that of the test with another ending. Nil if that is no file.
  private var scenarioPath: String? {
    output == "-" || output.hasPrefix("/dev/") ? nil : SuiteTest.stem(of: output) + ".yaml"
  }

  private func outcome(of test: DistilledTest, _ own: Firmware) -> String {
    guard let failure = test.failure else {
      return "\(own) passes this test, because \(wanted) does the same"
        + (test.trouble.culprit == .neither ? "" : ": the sender has to change")
    }
    return "\(own) fails this test: \(failure.message)"
  }

  /// Whose fault it was; nil if `outcome` says it.
  private func whose(_ test: DistilledTest) -> String? {
    switch test.trouble.culprit {
    case .sender:
      "the fault is the sender's, if the line lost and changed nothing"
        + (test.trouble.isOpenNumber ? ": it left out a full stop" : "")
    case .sketch:
      test.failure == nil
        ? nil : "the fault is the sketch's: \(wanted) does otherwise with the same bytes"
    case .neither: "the fault is neither the sender's nor the sketch's: the board restarted"
    }
  }
}
