import Aim
import Platform
import Sketches
import SystemPackage
import Traces

/// Reads observations frame by frame: from a file, in which each frame is due at its time, or from
/// a pipe, as bytes arrive. The memory it needs depends only on the longest line.
struct ObservationReader: ~Copyable {
  /// The size of one read. A FIFO holds at most a MiB.
  private static let readBytes = 65_536
  private static let readsMax = 17

  /// The path for messages; `-` is standard input.
  private let path: String
  private let file: OpenFile
  private var source: LineSource
  private var lines: ObservationLines
  /// Whether it reads from a file, whose frames are played at their recorded times.
  let isRecorded: Bool
  /// A frame that was read before it was due.
  private var held: Frame?

  /// Parses the header of the file at `path`, or standard input for `-`.
  init(path: String) throws(TraceError) {
    let file = try OpenFile(path: path, wanting: "observations")
    var source = LineSource(
      ByteSource(
        read: { (buffer) throws(TraceError) in try file.read(into: buffer) },
        again: { nil }), path: path)
    guard let line = try source.next() else {
      throw TraceError(
        .malformed, path: path, line: 1, column: 1, "expected a header, found an empty file")
    }
    do throws(LineScanner.Failure) {
      lines = try ObservationLines(header: line)
    } catch {
      // Not as for a frame: a file that was cut off is useless without its header.
      throw TraceError(
        .malformed, path: path, line: 1, column: error.offset + 1, error.message)
    }
    isRecorded = (try? file.descriptor.stat())?.type == .regular
    self.path = path
    self.file = file
    self.source = source
  }

  var time: Instant { lines.time }

  /// Whether the next line is buffered, so that `next` does not block.
  var hasNext: Bool { source.isAtEnd || source.buffered.offset(of: 0x0A, from: 0) != nil }

  /// Returns the next frame; nil at the end. On a pipe it waits only until the line is complete.
  /// After an error, nothing more can be read.
  mutating func next() throws(TraceError) -> Frame? {
    guard let line = try source.next() else { return nil }
    do throws(LineScanner.Failure) {
      return try lines.frame(line)
    } catch {
      throw TraceError(
        error, path: path, line: source.number, endsWithoutNewline: source.endsWithoutNewline)
    }
  }

  /// Returns the next frame unless it is after `time`. At the end both this and `heldTime` are nil.
  mutating func next(until time: Instant) throws(TraceError) -> Frame? {
    if held == nil { held = try next() }
    return lines.time <= time ? held.take() : nil
  }

  /// When the frame that `next(until:)` held back is due; nil if there is none.
  var heldTime: Instant? { held == nil ? nil : lines.time }

  /// Appends bytes that the caller has read from the descriptor; an empty array means the end. From
  /// then on call `next` only if `hasNext` is true.
  mutating func append(_ bytes: [UInt8]) throws(TraceError) { try source.append(bytes) }

  /// Returns a non-blocking descriptor for the rest, after taking the bytes that are already there.
  /// The descriptor is a new one if possible, because other processes may share the original and do
  /// not expect it to change. Nil if the input has ended.
  mutating func openAgain() throws(TraceError) -> FileDescriptor? {
    let own = try? FileDescriptor.open(
      "/dev/fd/\(file.descriptor.rawValue)", .readOnly, options: [.nonBlocking, .closeOnExec])
    guard let own else { return try? file.descriptor.closeOnExecDuplicate() }
    // A FIFO whose writers have already gone reports its end only to a read.
    for _ in 0..<Self.readsMax {
      guard let bytes = try? HostSystem.shared.read(own.rawValue, upTo: Self.readBytes) else {
        return own
      }
      do throws(TraceError) {
        try append(bytes)
      } catch {
        try? own.close()
        throw error
      }
      if bytes.isEmpty {
        try? own.close()
        return nil
      }
    }
    return own
  }

  func makeAimer(_ options: AimOptions) throws(TraceError) -> Aimer {
    do {
      return try Aimer(camera: lines.camera, options: options)
    } catch {
      var message = error.description
      if error == .noFieldOfView {
        message += ": put \"fov\" into the header, or choose --mapping linear"
      }
      throw TraceError(.malformed, path: path, line: 1, message)
    }
  }
}
