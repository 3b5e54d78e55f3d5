import Engine
import Platform
import Sketches
import SystemPackage
import Traces

/// The result of a short run of a system program, such as `openssl`.
struct ToolRun: Hashable {
  /// The number of bytes of output from which on no more is kept.
  private static let outputMax = 1 << 20
  /// How often a run checks whether its result is still needed, in milliseconds.
  private static let patience: Int64 = 100

  var status: ExitStatus
  /// Its standard output and standard error, in the order in which it wrote them.
  var output: [UInt8]

  var text: String { String(decoding: output, as: UTF8.self) }

  /// Runs a command found on the PATH to its end, at most for `limit`, and then kills it.
  ///
  /// - Parameter input: a few hundred bytes for its standard input.
  /// - Returns: nil if there is no such program.
  static func run(
    _ command: [String], input: [UInt8] = [], limit: Interval = .seconds(60)
  ) throws(Failure) -> ToolRun? {
    switch try outcome(of: command, input: input, limit: limit) {
    case .missing: return nil
    case .ended(let run): return run
    case .stopped:
      throw Failure(
        .unavailable, "\(command[0]): error: it did not end within \(String(readable: limit))")
    }
  }

  /// How a run ended.
  enum Outcome: Hashable {
    /// There is no such program.
    case missing
    case ended(ToolRun)
    /// It took too long, or was no longer needed, and was killed.
    case stopped
  }

  /// Runs a command as `run` does. `limit` is nil for any time. `isEnding` returns whether its
  /// result is no longer needed.
  static func outcome(
    of command: [String], input: [UInt8] = [], limit: Interval?,
    isEnding: () -> Bool = { false }
  ) throws(Failure) -> Outcome {
    let outputs: (readEnd: FileDescriptor, writeEnd: FileDescriptor)
    let inputs: (readEnd: FileDescriptor, writeEnd: FileDescriptor)
    do {
      outputs = try FileDescriptor.closeOnExecPipe()
      inputs = try FileDescriptor.closeOnExecPipe()
    } catch {
      throw Failure(.unavailable, "\(command[0]): error: cannot create a pipe: \(error)")
    }
    defer { try? outputs.readEnd.close() }
    var child: ChildProcess
    do throws(Failure) {
      // Fits into the pipe, so it never blocks.
      _ = try? inputs.writeEnd.writeAll(input)
      try? inputs.writeEnd.close()
      defer {
        try? inputs.readEnd.close()
        try? outputs.writeEnd.close()
      }
      child = try ChildProcess.start(
        command,
        wiring: .init(
          input: inputs.readEnd, output: outputs.writeEnd, errors: outputs.writeEnd,
          isCompanion: false))
    } catch {
      // 127 stands for a program that was not found, as in a shell.
      if error.status.rawValue == 127 { return .missing }
      throw error
    }
    let deadline = limit.map { HostTime.now + $0 }
    func isOver() -> Bool { isEnding() || deadline.map { .now >= $0 } ?? false }
    var output = read(outputs.readEnd, until: deadline, isOver)
    while true {
      child.updateStatus()
      if child.status != nil { break }
      // It can have closed its outputs and still run.
      if output == nil || isOver() {
        output = nil
        child.killGroup()
      }
      usleep(1_000)
    }
    guard let output, let status = child.status else { return .stopped }
    return .ended(ToolRun(status: status, output: output))
  }

  /// Returns everything up to the end; nil if that is not reached in time.
  private static func read(
    _ end: FileDescriptor, until deadline: HostTime?, _ isOver: () -> Bool
  ) -> [UInt8]? {
    var bytes: [UInt8] = []
    var chunk = [UInt8](repeating: 0, count: 1 << 14)
    while true {
      guard !isOver() else { return nil }
      let left = deadline.map { ($0 - .now).nanoseconds / 1_000_000 + 1 } ?? patience
      var ready = pollfd(fd: end.rawValue, events: Int16(POLLIN), revents: 0)
      let found = poll(&ready, 1, Int32(clamping: max(0, min(left, patience))))
      if found == 0 { continue }
      if found < 0 {
        // A signal interrupted it.
        guard errno == EINTR else { return nil }
        continue
      }
      let count = (try? chunk.withUnsafeMutableBytes { try end.read(into: $0) }) ?? 0
      if count == 0 { return bytes }
      if bytes.count < outputMax { bytes += chunk[..<count] }
    }
  }
}
