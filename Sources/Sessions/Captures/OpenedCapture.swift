package import Captures
import Files
package import Traces
import Verification

/// A recording by another tool, opened from its files.
package struct OpenedCapture {
  let capture: Capture
  private let paths: [String]

  /// Whether the recording needed the sample rate that the user gave.
  package var usesGivenRate: Bool { capture.summary.usesGivenRate }

  /// Opens and examines a recording; `-` is standard input. `zone` is the time zone of its dates.
  package init(
    _ paths: [String], _ options: CaptureOptions, zone: RecordedZone? = nil
  ) throws(TraceError) {
    self.paths = paths
    let files = try paths.map { (path) throws(TraceError) in
      try CaptureFile(path: path, isKindKnown: options.kind != nil)
    }
    var options = options
    do throws(CaptureError) {
      if let zone {
        // The offset depends on the date, which is in the recording.
        options.timeZone = 0
        let first = try Capture(files, options, inflate: Zlib.inflate)
        guard let local = first.header.recorded, let offset = zone.offset(at: local), offset != 0
        else {
          capture = first
          return
        }
        options.timeZone = offset
      }
      capture = try Capture(files, options, inflate: Zlib.inflate)
    } catch {
      throw TraceError(error, paths: paths)
    }
  }

  /// Prints the contents of the recording.
  package func list(asJSON printsJSON: Bool, _ verbosity: Verbosity) throws(Failure) {
    let listing = CaptureListing(capture.summary)
    for line in printsJSON ? [listing.json] : listing.lines { try Console.write(line) }
    if !printsJSON { verbosity.report(capture.summary.notes, about: paths[0]) }
  }

  /// Writes the recording as a trace, and reports what was found and assumed.
  package func convert(to output: String, _ verbosity: Verbosity) throws {
    verbosity.report(capture.sentences(), about: paths[0])
    var file = try OutputFile(trace: output)
    let objection = try write(to: &file)
    try file.finish()
    if let objection {
      verbosity.report([objection + "; --firmware names another sketch"], about: paths[0])
    }
  }

  // Not inlined, so that the many events after the first command that fits cost nothing.
  @inline(never)
  private static func take(_ event: Event, into fit: inout SketchFit) {
    if case .receive(let bytes) = event.kind { fit.take(bytes, at: event.time) }
  }

  /// Returns whether no command fits the assumed sketch, as a sentence.
  private func write(to file: inout OutputFile) throws -> String? {
    var line: [UInt8] = []
    line.appendLine(capture.header)
    try file.write(line)
    var failure: Failure?
    var fit = SketchFit(capture.header.firmware(unless: nil))
    do throws(CaptureError) {
      try capture.read { (event) throws(CaptureError) in
        if !fit.hasFit { Self.take(event, into: &fit) }
        do throws(Failure) {
          try file.writeLine(event)
        } catch {
          failure = error
          throw CaptureError(.inputOutput, error.message)
        }
      }
    } catch {
      throw failure ?? Failure(TraceError(error, paths: paths))
    }
    return fit.objection
  }
}
