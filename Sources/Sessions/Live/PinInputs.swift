import SystemPackage
import Traces

/// The FIFO or file of --inputs, whose reads never block.
final class PinInputs {
  /// The maximum number of bytes read in one turn.
  private static let readMax = 1 << 14

  private let file: FileDescriptor
  private var lines: PinInputLines
  /// Whether there is nothing more to read.
  private var isAtEnd = false

  init(_ path: String) throws(Failure) {
    do {
      // Opened for writing too, so that a FIFO does not end when its writer leaves.
      file = try FileDescriptor.open(path, .readWrite, options: [.nonBlocking, .closeOnExec])
    } catch {
      throw Failure(
        .noInput,
        "\(path): error: cannot be read: \(error as? Errno ?? .ioError); create it with mkfifo")
    }
    lines = PinInputLines(path: path)
  }

  deinit { try? file.close() }

  /// Becomes readable when something has arrived; nil if nothing more will.
  var descriptor: FileDescriptor? { isAtEnd ? nil : file }

  /// Returns what has arrived since the last call.
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
      return [.mistake("--inputs can no longer be read: \(error)")]
    }
  }
}
