import AVR
package import ChipDevice
import Devices
import Engine
import Platform
import Sketches
import Traces

/// Shows what a program was doing at a moment of a session.
package struct DebugRun: Sendable {
  private let job: TraceJob
  private let moment: DebugMoment
  /// The path of an .elf with what is known of the program's source; nil for the program's own.
  package var symbols: String?
  package var printsJSON = false

  package init(_ job: TraceJob, at moment: DebugMoment) {
    self.job = job
    self.moment = moment
  }

  static let noProgram = Failure(
    .usage, "error: debug requires the sketch's program on the emulated chip: --device avr:FILE")

  package func run() throws {
    guard let source = job.choice.source as? AVRSource, let program = job.choice.programPath else {
      throw Self.noProgram
    }
    let map = try source.program.sourceMap(at: program, symbols: symbols)
    var trace = try job.examine(times: 1)
    let header = trace.reader.header
    job.verbosity.report(
      source.speedNotes(at: header.baud, speed: source.findSpeed()), about: job.trace)
    let events = try trace.reader.readEvents()
    if let note = try job.choice.difference(from: events, header, at: job.trace, on: source) {
      job.verbosity.report([note], about: job.trace)
    }
    let debugger = ChipDebugger(
      SessionMoments(source, header, events: events, end: header.end ?? trace.reader.time), map)
    trace.progress.clear()
    let report: ChipDebugger.Report
    do throws(NoSuchMoment) {
      report = try debugger.report(at: moment)
    } catch {
      throw Failure(.usage, "\(job.trace): error: --at: \(error.message)")
    }
    guard !printsJSON else { return try Console.write(json(report).text) }
    for line in lines(report) { try Console.write(line) }
  }

  // MARK: Text

  private func lines(_ report: ChipDebugger.Report) -> [String] {
    var files = SourceFiles()
    let time = "\(String(shortest: report.time - .zero)) s"
    var lines = [report.moment.isEmpty ? time : "\(time): \(report.moment)"]
    if let fault = report.fault { lines.append(fault.description) }
    if report.isAsleep { lines.append("The chip sleeps.") }
    for (number, frame) in report.stack.frames.enumerated() {
      let address = frame.isInlined ? "inlined" : Self.address(frame.address)
      let mark = frame.isInterrupt ? ", an interrupt" : ""
      lines.append("")
      lines.append("#\(number) \(address.padded(to: 7)) \(frame.place.text)\(mark)")
      if let text = files.line(of: frame.place) {
        lines.append("     \(frame.place.line) | \(text)")
      }
      for variable in frame.variables {
        lines.append("     \(variable.name) = \(variable.value ?? Self.unknown)")
      }
    }
    if !report.stack.isWhole { lines += ["", "Which functions called these is not known."] }
    if !report.lines.isEmpty { lines += ["", "The last lines that ran, the latest last:"] }
    for line in report.lines {
      let count = line.count > 1 ? " x\(line.count)" : ""
      let ago = String(readable: line.ago)
      let text = files.line(of: line.place).map { " | \($0)" } ?? ""
      lines.append("  \(ago.padded(to: 9)) before: \(line.place.text)\(count)\(text)")
    }
    return lines
  }

  private static let unknown = "<optimized out>"

  private static func address(_ address: UInt16) -> String {
    "0x" + String(address, radix: 16, digits: 4, uppercase: true)
  }

  // MARK: JSON

  private func json(_ report: ChipDebugger.Report) -> JSONText {
    var files = SourceFiles()
    func place(_ place: SourcePlace, into json: inout JSONText) {
      json.add("function", place.function)
      if place.line > 0 {
        json.add("file", place.file)
        json.add("line", place.line)
        if let text = files.line(of: place) { json.add("source", text) }
      }
    }
    var json = JSONText()
    json.add("time", report.time)
    if !report.moment.isEmpty { json.add("moment", report.moment) }
    if let fault = report.fault { json.add("fault", fault.description) }
    json.add(
      "stack",
      .array(
        report.stack.frames.map { frame in
          var json = JSONText()
          place(frame.place, into: &json)
          json.add("address", Self.address(frame.address))
          if frame.isInlined { json.add("inlined", .bool(true)) }
          if frame.isInterrupt { json.add("interrupt", .bool(true)) }
          json.add(
            "variables",
            .array(
              frame.variables.map { variable in
                var json = JSONText()
                json.add("name", variable.name)
                json.add("type", variable.type)
                json.add("value", variable.value.map { JSONValue.string($0) } ?? JSONValue.null)
                return json.value
              }))
          return json.value
        }))
    json.add("whole", .bool(report.stack.isWhole))
    json.add(
      "lines",
      .array(
        report.lines.map { line in
          var json = JSONText()
          place(line.place, into: &json)
          json.add("before", line.ago)
          json.add("count", line.count)
          return json.value
        }))
    return json
  }
}

/// The text of source files, as far as they can be read here.
private struct SourceFiles {
  private static let linesMax = 100_000
  private var files: [String: [Substring]] = [:]

  /// Returns a line without the spaces around it; nil if its file cannot be read.
  mutating func line(of place: SourcePlace) -> String? {
    guard place.line > 0, !place.file.isEmpty else { return nil }
    if files[place.file] == nil {
      var bytes: [UInt8] = []
      // The program names the file, so it can be anything.
      if place.file != "-", FileIdentity(regular: place.file) != nil {
        bytes = (try? InputFile.contents(of: place.file, wanting: "a source file")) ?? []
      }
      let text = String(decoding: bytes, as: UTF8.self)
      files[place.file] = text.split(
        maxSplits: Self.linesMax, omittingEmptySubsequences: false, whereSeparator: \.isNewline)
    }
    guard let lines = files[place.file], place.line <= lines.count else { return nil }
    let text = lines[place.line - 1]
    let start = text.drop { $0.isWhitespace }
    return start.isEmpty ? nil : String(start.prefix(100))
  }
}
