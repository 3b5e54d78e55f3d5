import Engine
import Platform
import SystemPackage
import Traces

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

  private let system: any SystemCalls
  private let readEnd: FileDescriptor
  /// The end that the command inherits; nil once the command has been started.
  private(set) var writeEnd: FileDescriptor?
  private(set) var tail = ErrorTail()
  /// Whether no process has the other end open any more.
  private var isOver = false
  /// Whether the bench's standard error accepts nothing at the moment.
  private(set) var isStalled = false

  init(on system: any SystemCalls) throws(Failure) {
    self.system = system
    do throws(Errno) {
      let pipe = try system.pipe()
      readEnd = FileDescriptor(rawValue: pipe.readEnd)
      writeEnd = FileDescriptor(rawValue: pipe.writeEnd)
      system.makeNonblocking(pipe.readEnd)
    } catch {
      throw Failure(
        .unavailable, "error: cannot create a pipe for the sender's standard error: \(error)")
    }
  }

  deinit {
    closeWriteEnd()
    system.close(readEnd.rawValue)
  }

  /// Closes the bench's copy of the command's end, so that the end of the command is noticed.
  func closeWriteEnd() {
    if let writeEnd { system.close(writeEnd.rawValue) }
    writeEnd = nil
  }

  /// Becomes readable when the command has written something; nil if there is nothing to wait for.
  var descriptor: FileDescriptor? { isOver || isStalled ? nil : readEnd }

  func pass() {
    for _ in 0..<Self.chunksMax where !isOver {
      isStalled = !Console.canDisplay(on: system)
      guard !isStalled, let bytes = read() else { return }
      Console.display(bytes, on: system)
    }
  }

  /// Takes the rest after the command has ended. What the bench's standard error does not accept
  /// now is only kept.
  func finish() {
    var count = 0
    while count < Self.restMax, let bytes = read() {
      count += bytes.count
      if Console.canDisplay(on: system) { Console.display(bytes, on: system) }
    }
    isOver = true
  }

  /// Returns what has arrived, at most a chunk; nil if there is nothing.
  private func read() -> [UInt8]? {
    guard let bytes = try? system.read(readEnd.rawValue, upTo: Self.chunk) else { return nil }
    guard !bytes.isEmpty else {
      isOver = true
      return nil
    }
    tail.append(bytes)
    return bytes
  }
}

/// The end of what a command printed.
package struct ErrorTail: Hashable, Sendable {
  /// The number of bytes of standard error that are kept for a report.
  package static let bytesMax = 4_096

  private let bytesMax: Int
  /// The last bytes, at most `bytesMax`.
  package private(set) var bytes: [UInt8] = []
  /// Whether there were bytes before them.
  package private(set) var isCut = false

  package init(keeping bytesMax: Int = ErrorTail.bytesMax) { self.bytesMax = bytesMax }

  package mutating func append(_ more: some Collection<UInt8>) {
    isCut = isCut || bytes.count + more.count > bytesMax
    bytes = (bytes + more).suffix(bytesMax)
  }

  /// The lines as text. Control characters are escaped, and bytes that are not UTF-8 are replaced.
  package var text: String {
    var text = PlainText.lines(String(decoding: bytes, as: UTF8.self))
    while text.last == "\n" { text.removeLast() }
    return text
  }
}
