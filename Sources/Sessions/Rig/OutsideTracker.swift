import Aim
import Engine
import Platform
import Sketches
import SystemPackage
import Traces

/// A program that tracks on a rig in virtual time: it reads observations, a line for each picture,
/// and prints a line for each, with the bytes that it sends. The rig waits for it, so that the
/// session does not depend on how fast it is.
final class OutsideTracker {
  private let name: String
  /// Nil for the standard streams.
  private var child: ChildProcess?
  private let input: FileDescriptor
  private let output: FileDescriptor
  private var buffer: [UInt8] = []
  private var isInputOpen = true
  private var pictureCount = 0
  private var answerCount = 0

  /// How long the program can take for a picture.
  private static let patience = Interval.seconds(30)
  private static let lineMax = 1 << 16

  init(_ tracker: RigTracker, _ camera: SceneCamera) throws(Failure) {
    guard case .command(let command) = tracker else {
      name = "the program"
      (input, output) = (.standardOutput, .standardInput)
      write(camera.camera.headerLine)
      return
    }
    name = command[0]
    let inputs: (readEnd: FileDescriptor, writeEnd: FileDescriptor)
    let outputs: (readEnd: FileDescriptor, writeEnd: FileDescriptor)
    do {
      inputs = try FileDescriptor.closeOnExecPipe()
      outputs = try FileDescriptor.closeOnExecPipe()
    } catch {
      throw Failure(.unavailable, "\(command[0]): error: cannot create a pipe: \(error)")
    }
    defer {
      try? inputs.readEnd.close()
      try? outputs.writeEnd.close()
    }
    (input, output) = (inputs.writeEnd, outputs.readEnd)
    child = try ChildProcess.start(
      command,
      wiring: .init(input: inputs.readEnd, output: outputs.writeEnd, isCompanion: false))
    write(camera.camera.headerLine)
  }

  deinit {
    guard child != nil else { return }
    if isInputOpen { try? input.close() }
    try? output.close()
  }

  private func write(_ line: [UInt8]) {
    guard isInputOpen else { return }
    if (try? input.writeAll(line)) == nil { closeInput() }
  }

  private func closeInput() {
    guard isInputOpen else { return }
    isInputOpen = false
    if child != nil { try? input.close() }
  }

  /// Passes a picture's observations on. Returns what the program sends; nil if it has ended.
  func answer(_ frame: Frame) throws(Failure) -> [UInt8]? {
    pictureCount += 1
    write(frame.line)
    guard isInputOpen else { return nil }
    let deadline = HostTime.now + Self.patience
    while true {
      if let end = buffer.firstIndex(of: 0x0A) {
        var line = Array(buffer[..<end])
        buffer.removeSubrange(...end)
        if line.last == 0x0D { line.removeLast() }
        answerCount += 1
        return line
      }
      guard buffer.count <= Self.lineMax else {
        throw Failure(
          .malformed, "\(name): error: expected a line of at most \(Self.lineMax) bytes")
      }
      var ready = pollfd(fd: output.rawValue, events: Int16(POLLIN), revents: 0)
      let left = (deadline - .now).nanoseconds / 1_000_000
      guard left > 0 else {
        throw Failure(
          .timeout,
          "\(name): error: it printed no line for picture \(pictureCount) within "
            + "\(String(readable: Self.patience)). It must print one for each picture, empty if it "
            + "sends nothing, and flush its output")
      }
      let found = poll(&ready, 1, Int32(clamping: min(left, 1_000)))
      if found <= 0 { continue }
      var chunk = [UInt8](repeating: 0, count: 1 << 14)
      let count = (try? chunk.withUnsafeMutableBytes { try output.read(into: $0) }) ?? 0
      if count == 0 { return nil }
      buffer += chunk[..<count]
    }
  }

  /// Ends the program.
  func finish() throws(Failure) {
    closeInput()
    guard child != nil else { return }
    let deadline = HostTime.now + .seconds(5)
    while true {
      child?.updateStatus()
      if child?.status != nil { break }
      if .now >= deadline { child?.killGroup() }
      usleep(1_000)
    }
    child?.killGroup()
    guard let status = child?.status, status == .agree || answerCount == pictureCount else {
      throw Failure(
        child?.status ?? .unavailable,
        "\(name): error: it ended with status \(child?.status?.rawValue ?? -1) after "
          + "\(String(counting: answerCount, "picture"))")
    }
  }

  /// What is to be said about a program that did not track.
  func remarks(commands: Int) -> [String] {
    if answerCount < pictureCount {
      return ["\(name) ended after \(String(counting: answerCount, "picture"))."]
    }
    return commands == 0 ? ["\(name) sent nothing."] : []
  }
}
