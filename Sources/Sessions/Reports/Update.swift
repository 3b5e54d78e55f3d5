package import Devices
import Engine
package import Judging
import Platform
import Sketches
import Traces

/// What `--update` did to one trace.
package struct Update: Sendable, CustomStringConvertible {
  var tally: Tally

  /// Rewrites a trace with the device's outputs. Inputs, notes and the header stay.
  package static func rewrite(
    _ path: String, on source: some DeviceSource, _ verification: Verification
  ) throws -> Update {
    guard try TraceReader.canBeReadTwice(path) else {
      throw Failure(.inputOutput, "\(path): error: cannot be updated: it is not a file")
    }
    let kinds = try kinds(path)
    var reader = try TraceReader(path: path)
    let header = reader.header
    let device = try source.makeDevice(
      for: header,
      firmware: source.firmware(of: header, in: path, unless: verification.firmware),
      showsPulses: kinds.contains(.pulse))
    var comparison = Comparison(
      kinds: kinds, tolerance: verification.tolerance ?? header.tolerance)
    var file = try OutputFile(trace: path, isUpdate: true)
    var line: [UInt8] = []
    line.appendLine(header)
    try file.write(line)
    var replay = Replay(device, until: header.end, kinds: kinds)
    func put(_ event: Event, _ file: inout OutputFile) throws(Failure) {
      try file.writeLine(event)
      comparison.find(event)
    }
    while let event = try reader.next() {
      try replay.take(event) { (event) throws(Failure) in try put(event, &file) }
      comparison.expect(event, line: reader.line)
      comparison.settle(before: event.time, line: reader.line)
    }
    let last = reader.time
    try replay.finish(after: last) { (event) throws(Failure) in try put(event, &file) }
    let end = header.end ?? last
    comparison.finish(at: end, line: reader.line)
    try file.finish()
    return Update(tally: comparison.tally)
  }

  /// Returns the kinds of output of the new trace: those it expects and those it has or, if there
  /// are none, all except those that are only recorded on request.
  private static func kinds(_ path: String) throws -> Set<Output.Kind> {
    var reader = try TraceReader(path: path)
    var kinds = reader.header.expects ?? []
    while let event = try reader.next() {
      if let output = event.output { kinds.insert(output.kind) }
    }
    return kinds.isEmpty ? Set(Output.Kind.allCases.filter { !$0.isOnRequest }) : kinds
  }

  package var description: String {
    "\(tally.matched) kept, \(tally.moved) moved, \(tally.missing) removed, \(tally.extra) added"
  }
}

extension Verdict {
  /// Whether rewriting the expectations would help.
  package var canBeUpdated: Bool {
    switch outcome {
    case .agrees, .cannotObserve, .deviceFailed, .undecided: false
    case .diverges, .nothingToCompare: true
    }
  }
}
