import SystemPackage
import Traces

/// The FIFO or file of --inputs, whose reads never block.
final class PinInputs {
  /// The most bytes in one turn.
  private static let readMax = 1 << 14

  private let file: FileDescriptor
  private var lines: PinInputLines
  /// Whether there is nothing more to read.
  private var isAtEnd = false

  init(_ path: String) throws(Failure) {
    do {
      // For writing too, so that a FIFO has no end when its writer leaves.
      file = try FileDescriptor.open(path, .readWrite, options: [.nonBlocking, .closeOnExec])
    } catch {
      throw Failure(
        .noInput, "\(path): error: cannot be read: \(error as? Errno ?? .ioError); mkfifo makes it")
    }
    lines = PinInputLines(path: path)
  }

  deinit { try? file.close() }

  /// Readable when there is something to look at; nil if nothing follows.
  var descriptor: FileDescriptor? { isAtEnd ? nil : file }

  /// Takes what has arrived.
  func look() -> [PinInputLines.Arrival] {
    guard !isAtEnd else { return [] }
    var bytes = [UInt8](repeating: 0, count: Self.readMax)
    do {
      let count = try bytes.withUnsafeMutableBytes {
        try file.read(into: $0, retryOnInterrupt: true)
      }
      isAtEnd = count == 0
      return lines.take(bytes[..<count])
    } catch Errno.wouldBlock {
      return []
    } catch {
      isAtEnd = true
      return [.mistake("--inputs cannot be read any more: \(error)")]
    }
  }
}
