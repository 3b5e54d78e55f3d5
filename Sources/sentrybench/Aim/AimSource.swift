import Aim
import SystemPackage
import Traces
import Turret

/// Observations and what comes of them: a file's, which are read when they are due, or a pipe's, which come
/// in bytes.
struct AimSource: ~Copyable {
  private var reader: ObservationReader
  private var aimer: Aimer
  /// Whether the frames come at their own times, a file's, and not when they are written.
  let isRecorded: Bool
  /// What was read of a file ahead of its time.
  private var next: Frame?

  /// Opens the file at `path`, `-` being standard input, and reads its header.
  init(_ path: String, _ options: AimOptions) throws(TraceError) {
    let reader = try ObservationReader(path: path)
    aimer = try reader.makeAimer(options)
    isRecorded = (try? reader.descriptor?.stat())?.type == .regular
    self.reader = reader
  }

  /// A descriptor for reading on without waiting. Its own, where there can be one: others may use the one
  /// that it was opened with, and would not expect that. Nil where there is none.
  func openAgain() -> FileDescriptor? {
    guard let descriptor = reader.descriptor else { return nil }
    let own = try? FileDescriptor.open(
      "/dev/fd/\(descriptor.rawValue)", .readOnly, options: [.nonBlocking, .closeOnExec])
    return own ?? (try? descriptor.duplicate())
  }

  /// A file's next frame, its outcome and its time, if that is not after `time`. At the end nil, and
  /// `nextTime` is nil.
  mutating func see(until time: Instant) throws(TraceError) -> (Sighting, Instant)? {
    if next == nil { next = try reader.next() }
    guard let frame = next, reader.time <= time else { return nil }
    next = nil
    return (aimer.see(frame), reader.time)
  }

  /// When the frame that `see` held back is due; nil: there is none.
  var nextTime: Instant? { next == nil ? nil : reader.time }

  /// Takes a pipe's bytes; none is its end.
  mutating func append(_ bytes: [UInt8]) throws(TraceError) { try reader.append(bytes) }

  /// A pipe's next frame that is whole, its outcome and its time.
  mutating func see() throws(TraceError) -> (Sighting, Instant)? {
    guard reader.hasNext, let frame = try reader.next() else { return nil }
    return (aimer.see(frame), reader.time)
  }
}
