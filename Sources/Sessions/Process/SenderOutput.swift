import Engine
import Platform
import SystemPackage
import Traces

/// What the command after `--` prints, on its way through the bench.
///
/// Its standard error is passed on to the bench's own, and its end is kept for the report. Nothing
/// is read while the bench's standard error accepts nothing, so the command has to wait as it would
/// without the bench in between. In a suite, nothing is passed on, and the end of both outputs is
/// kept.
final class SenderOutput {
  /// The number of bytes passed on at once: PIPE_BUF, which a writable pipe takes without blocking.
  private static let chunk = 4_096
  /// The maximum number of chunks taken from an output in one turn of the bench.
  private static let chunksMax = 16
  /// The number of bytes still read after the command has ended: more than a pipe contains.
  private static let restMax = 1 << 20

  private let system: any SystemCalls
  private let errorsPipe: SenderPipe
  /// Nil if the command writes to the bench's standard error itself.
  private let outputPipe: SenderPipe?
  /// The end of its standard error.
  private(set) var errors = ErrorTail()
  /// The end of both outputs; empty if they are not kept.
  private(set) var printed = ErrorTail(keeping: SuiteOutput.keptMax)
  /// Whether the bench's standard error accepts nothing at the moment.
  private(set) var isStalled = false

  /// `keepsAll` is whether both outputs are kept, and nothing is passed on.
  init(keepsAll: Bool, on system: any SystemCalls) throws(Failure) {
    self.system = system
    errorsPipe = try SenderPipe(on: system)
    outputPipe = keepsAll ? try SenderPipe(on: system) : nil
  }

  private var passesOn: Bool { outputPipe == nil }
  private var pipes: [SenderPipe] { (outputPipe.map { [$0] } ?? []) + [errorsPipe] }

  /// The ends that the command inherits. `output` is nil if it has that of the bench.
  var writeEnds: (output: FileDescriptor?, errors: FileDescriptor?) {
    (outputPipe?.writeEnd, errorsPipe.writeEnd)
  }

  /// Closes the bench's copies of the command's ends, so that the end of the command is noticed.
  func closeWriteEnds() { for pipe in pipes { pipe.closeWriteEnd() } }

  /// They become readable when the command has printed something.
  var descriptors: [FileDescriptor] {
    isStalled ? [] : pipes.filter { !$0.isOver }.map(\.readEnd)
  }

  /// Takes what has arrived.
  func pass() {
    for pipe in pipes {
      for _ in 0..<Self.chunksMax where !pipe.isOver {
        isStalled = passesOn && !Console.canDisplay(on: system)
        guard !isStalled, let bytes = read(pipe) else { break }
        if passesOn { Console.display(bytes, on: system) }
      }
    }
  }

  /// Takes the rest after the command has ended. What the bench's standard error does not accept
  /// now is only kept.
  func finish() {
    for pipe in pipes {
      var count = 0
      while count < Self.restMax, let bytes = read(pipe) {
        count += bytes.count
        if passesOn, Console.canDisplay(on: system) { Console.display(bytes, on: system) }
      }
      pipe.isOver = true
    }
  }

  /// Returns what has arrived, at most a chunk; nil if there is nothing.
  private func read(_ pipe: SenderPipe) -> [UInt8]? {
    guard let bytes = pipe.read(upTo: Self.chunk) else { return nil }
    if pipe === errorsPipe { errors.append(bytes) }
    if !passesOn { printed.append(bytes) }
    return bytes
  }
}

/// A pipe to which the command after `--` writes.
private final class SenderPipe {
  private let system: any SystemCalls
  let readEnd: FileDescriptor
  /// The end that the command inherits; nil once the command has been started.
  private(set) var writeEnd: FileDescriptor?
  /// Whether no process has the other end open any more.
  var isOver = false

  init(on system: any SystemCalls) throws(Failure) {
    self.system = system
    do throws(Errno) {
      let pipe = try system.pipe()
      readEnd = FileDescriptor(rawValue: pipe.readEnd)
      writeEnd = FileDescriptor(rawValue: pipe.writeEnd)
      system.makeNonblocking(pipe.readEnd)
    } catch {
      throw Failure(
        .unavailable, "error: cannot create a pipe for what the sender prints: \(error)")
    }
  }

  deinit {
    closeWriteEnd()
    system.close(readEnd.rawValue)
  }

  func closeWriteEnd() {
    if let writeEnd { system.close(writeEnd.rawValue) }
    writeEnd = nil
  }

  /// Returns what has arrived; nil if there is nothing.
  func read(upTo count: Int) -> [UInt8]? {
    guard let bytes = try? system.read(readEnd.rawValue, upTo: count) else { return nil }
    guard !bytes.isEmpty else {
      isOver = true
      return nil
    }
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
