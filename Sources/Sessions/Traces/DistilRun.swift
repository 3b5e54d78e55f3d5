package import Captures
import Devices
import Engine
import Judging
import Platform
package import Sketches
package import Traces

/// Makes a short test from a session that went wrong.
package struct DistilRun: Sendable {
  private let file: String
  private let wanted: Firmware
  private let output: String
  /// How a recording by another tool is read.
  package var recording = CaptureOptions()
  /// The time from which on to look for what went wrong; nil for the session's start.
  package var since: Interval?
  /// The longest session to accept; nil for any.
  package var limit: SessionLimit? = SessionLimit()
  package var verbosity = Verbosity.normal

  /// - Parameters:
  ///   - file: the path of the trace or recording; `-` is standard input.
  ///   - wanted: the sketch that behaves correctly.
  ///   - output: the path of the test; `-` is standard output.
  package init(_ file: String, wanted: Firmware, output: String) {
    self.file = file
    self.wanted = wanted
    self.output = output
  }

  package func run() throws {
    let input = try TraceInput(path: file, isReadAgain: true, options: recording)
    var reader = try input.reader()
    let facts = try input.facts(on: DeviceChoice(ModelSource(), firmware: nil, name: "model"))
    let fault = facts?.fault
    verbosity.report(fault, .reading, about: file)
    verbosity.report(reader.notes, about: file)
    if fault?.isWhole == true { throw Failure(.disagree) }
    try reader.limit(to: limit)
    let uncertainty = reader.header.uncertainty ?? .zero
    let session = try SessionInputs(&reader, for: "distil")
    let end = reader.header.end ?? reader.time
    let length = end - Instant.zero
    let start = Instant.zero + (since ?? .zero)
    let name = file == "-" ? "standard input" : file.split(separator: "/").last.map(String.init)
    let source = "sentrybench distil, from \(name ?? file)"
    guard
      let test = DistilledTest.find(in: session, wanted: wanted, after: start, source: source)
    else {
      let place = since.map { " from \(String(readable: $0)) on" } ?? ""
      let mishaps = session.mishaps(after: start) + (facts?.unsentWords ?? [])
      guard fault == nil, mishaps.isEmpty else {
        let found = mishaps.isEmpty ? "" : ": \(mishaps.joined(separator: ", "))"
        throw Failure(
          .disagree,
          "\(file): no test was made\(place)\(found); \(session.firmware) took no command in "
            + "another way than it was meant. explain shows each byte")
      }
      throw Failure(
        .disagree,
        "\(file): nothing went wrong\(place): \(session.firmware) took each command as it was "
          + "meant, and its angles are those of \(wanted)")
    }
    var written = try OutputFile(trace: output)
    try written.write(test.text)
    try written.finish()
    guard verbosity != .quiet else { return }
    let time = String(canonical: test.trouble.time.roundedUpToMicrosecond)
    Console.report("\(file): \(time) s: \(test.trouble.text)")
    Console.report(
      "\(file): \(test.inputCount) of \(String(counting: session.events.count, "input")) kept; the "
        + "test takes \(String(readable: test.duration)) from the board's start, the session took "
        + String(readable: length))
    Console.report("\(file): \(outcome(of: test, session.firmware))")
    if uncertainty > .zero {
      Console.report(
        "\(file): the recorded times can be off by \(String(readable: uncertainty)); the test uses "
          + "them as recorded. explain shows in how many timings the same happens")
    }
  }

  private func outcome(of test: DistilledTest, _ own: Firmware) -> String {
    guard let failure = test.failure else {
      return "\(own) passes this test, because \(wanted) does the same: the sender has to change"
    }
    return "\(own) fails this test: \(failure.message)"
  }
}
