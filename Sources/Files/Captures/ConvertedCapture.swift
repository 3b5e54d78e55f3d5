import Captures
import SystemPackage
import Traces

/// The trace that a recording becomes, as text.
struct ConvertedCapture {
  private static let chunk = 1 << 16

  private let spool = Spool()
  private let path: String

  /// Converts a recording. `path` is used in messages.
  init(_ capture: Capture, path: String) throws(TraceError) {
    self.path = path
    var text: [UInt8] = []
    text.appendLine(capture.header)
    do throws(CaptureError) {
      try capture.read { (event) throws(CaptureError) in
        text.appendLine(event)
        if text.count >= Self.chunk { try flush(&text) }
      }
      try flush(&text)
    } catch {
      throw TraceError(error, path: path)
    }
  }

  private func flush(_ text: inout [UInt8]) throws(CaptureError) {
    do {
      try text.withUnsafeBytes { try spool.append($0) }
    } catch {
      throw CaptureError(
        .inputOutput,
        "the trace cannot be kept in the temporary folder: "
          + (error is Spool.TooLong ? "\(error)" : "\(Errno.of(error))"))
    }
    text.removeAll(keepingCapacity: true)
  }

  /// The text from its start.
  var bytes: ByteSource {
    var offset: Int64 = 0
    return ByteSource(
      read: { [spool, path] (buffer) throws(TraceError) in
        do {
          let count = try spool.read(at: offset, into: buffer)
          offset += Int64(count)
          return count
        } catch {
          throw TraceError(opening: path, Errno.of(error))
        }
      },
      again: { self.bytes })
  }
}
