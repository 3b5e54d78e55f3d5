import Engine
import Platform
import Sketches
import SystemPackage
import Traces

/// The result of a short run of a system program, such as `openssl`.
struct ToolRun: Hashable {
  /// The number of bytes of output from which on no more is kept.
  private static let outputMax = 1 << 20
  /// How many chunks of it are read at once at most: it can print without end.
  private static let chunksMax = 64

  var status: ExitStatus
  /// Its standard output and standard error, in the order in which it wrote them.
  var output: [UInt8]

  var text: String { String(decoding: output, as: UTF8.self) }

  /// Runs a command found on the PATH to its end, at most for `limit`, and then ends it.
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
    /// It took too long, or was no longer needed, and was ended.
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
    _ = fcntl(outputs.readEnd.rawValue, F_SETFL, O_NONBLOCK)
    var output: [UInt8] = []
    var isOpen = true
    /// Takes what it has printed so far.
    func read() {
      for _ in 0..<chunksMax where isOpen {
        guard let bytes = try? HostSystem.shared.read(outputs.readEnd.rawValue, upTo: 1 << 14)
        else { return }
        isOpen = !bytes.isEmpty
        if output.count < outputMax { output += bytes }
      }
    }
    // Its end counts, not that of its outputs, which others can hold open.
    let hasEnded = child.wait(
      until: deadline, or: { isOpen ? [outputs.readEnd.rawValue] : [] },
      while: {
        read()
        return !isEnding()
      })
    child.end()
    guard hasEnded, let status = child.status else { return .stopped }
    read()
    return .ended(ToolRun(status: status, output: output))
  }
}
