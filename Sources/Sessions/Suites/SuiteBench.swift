import Engine
import Files
import Platform
import SystemPackage

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
    child.killGroup()
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
