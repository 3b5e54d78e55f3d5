import Engine
import Files
import Platform
import SystemPackage

/// The standard error of the command after `--` on its way through the bench: it is passed on to
/// the bench's own, and its end is kept for the report.
///
/// Nothing is read while the bench's standard error accepts nothing, so the command has to wait as
/// it would without the bench in between.
final class SenderErrors {
  /// The number of bytes passed on at once: PIPE_BUF, which a writable pipe takes without blocking.
  private static let chunk = 4_096
  /// The maximum number of chunks passed on in one turn of the bench.
  private static let chunksMax = 16
  /// The number of bytes still read after the command has ended: more than a pipe contains.
  private static let restMax = 1 << 20

  private let readEnd: FileDescriptor
  /// The end that the command inherits; nil once the command has been started.
  private(set) var writeEnd: FileDescriptor?
  private(set) var tail = ErrorTail()
  /// Whether no process has the other end open any more.
  private var isOver = false
  /// Whether the bench's standard error accepts nothing at the moment.
  private(set) var isStalled = false

  init() throws(Failure) {
    do {
      let pipe = try FileDescriptor.closeOnExecPipe()
      readEnd = pipe.readEnd
      writeEnd = pipe.writeEnd
      _ = fcntl(readEnd.rawValue, F_SETFL, O_NONBLOCK)
    } catch {
      throw Failure(
        .unavailable, "error: cannot create a pipe for the sender's standard error: \(error)")
    }
  }

  deinit {
    closeWriteEnd()
    try? readEnd.close()
  }

  /// Closes the bench's copy of the command's end, so that the end of the command is noticed.
  func closeWriteEnd() {
    try? writeEnd?.close()
    writeEnd = nil
  }

  /// Becomes readable when the command has written something; nil if there is nothing to wait for.
  var descriptor: FileDescriptor? { isOver || isStalled ? nil : readEnd }

  /// Passes on what has arrived.
  func pass() {
    for _ in 0..<Self.chunksMax where !isOver {
      isStalled = !Console.canDisplay
      guard !isStalled, let bytes = read() else { return }
      Console.display(bytes)
    }
  }

  /// Takes the rest after the command has ended. What the bench's standard error does not accept
  /// now is only kept.
  func finish() {
    var count = 0
    while count < Self.restMax, let bytes = read() {
      count += bytes.count
      if Console.canDisplay { Console.display(bytes) }
    }
    isOver = true
  }

  /// Returns what has arrived, at most a chunk; nil if there is nothing.
  private func read() -> [UInt8]? {
    var bytes = [UInt8](repeating: 0, count: Self.chunk)
    do {
      let count = try bytes.withUnsafeMutableBytes { try readEnd.read(into: $0) }
      guard count > 0 else {
        isOver = true
        return nil
      }
      bytes.removeLast(Self.chunk - count)
    } catch {
      return nil
    }
    tail.append(bytes)
    return bytes
  }
}
