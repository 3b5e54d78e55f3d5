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
  /// The number of pictures before which it had printed a line already.
  private var earlyCount = 0

  /// How long the program can take for a picture.
  private static let answerTimeMax = Interval.seconds(30)
  private static let lineMax = 1 << 16
  /// How long it can take to end after its input has ended.
  private static let grace = Interval.seconds(5)

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

  /// Writes a line. Reads meanwhile, so that a program that prints much cannot block both.
  private func write(_ line: [UInt8]) {
    guard isInputOpen else { return }
    var rest = line[...]
    let deadline = HostTime.now + Self.answerTimeMax
    while !rest.isEmpty {
      var ready = [
        pollfd(fd: input.rawValue, events: Int16(POLLOUT), revents: 0),
        pollfd(fd: output.rawValue, events: Int16(POLLIN), revents: 0),
      ]
      if buffer.count > Self.lineMax { ready.removeLast() }
      guard .now < deadline else { return closeInput() }
      guard poll(&ready, nfds_t(ready.count), 1_000) > 0 else { continue }
      if ready.count > 1, ready[1].revents & Int16(POLLIN) != 0 { _ = read() }
      guard ready[0].revents != 0 else { continue }
      // A pipe that is ready has room for this many at least.
      let part = rest.prefix(Int(PIPE_BUF))
      guard (try? input.writeAll(Array(part))) != nil else { return closeInput() }
      rest = rest.dropFirst(part.count)
    }
  }

  /// Reads what the program has printed. Returns whether there was anything.
  private func read() -> Bool {
    let bytes = (try? HostSystem.shared.read(output.rawValue, upTo: 1 << 14)) ?? []
    buffer += bytes
    return !bytes.isEmpty
  }

  private func closeInput() {
    guard isInputOpen else { return }
    isInputOpen = false
    if child != nil { try? input.close() }
  }

  /// Passes a picture's observations on. Returns what the program sends; nil if it has ended.
  func answer(_ frame: Frame) throws(Failure) -> [UInt8]? {
    pictureCount += 1
    // Whoever started the bench may write ahead.
    if child != nil, buffer.contains(0x0A) { earlyCount += 1 }
    write(frame.line)
    guard isInputOpen else { return nil }
    let deadline = HostTime.now + Self.answerTimeMax
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
            + "\(String(readable: Self.answerTimeMax)). It must print one for each picture, empty "
            + "if it sends nothing, and flush its output")
      }
      // Another program can hold the output open after it has ended.
      child?.updateStatus()
      let hasEnded = child?.status != nil
      let found = poll(&ready, 1, hasEnded ? 0 : Int32(clamping: min(left, 100)))
      if found <= 0, !hasEnded { continue }
      if found <= 0 || !read() { return nil }
    }
  }

  func finish() throws(Failure) {
    closeInput()
    guard child != nil else { return }
    _ = child?.wait(until: .now + Self.grace)
    child?.end()
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
    if earlyCount > 0 {
      return [
        "\(name) had printed a line before \(earlyCount) of the pictures: it must print exactly "
          + "one for each, and nothing else."
      ]
    }
    return commands == 0 ? ["\(name) sent nothing."] : []
  }
}
