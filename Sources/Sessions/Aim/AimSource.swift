import Aim
import Files
import SystemPackage
import Traces
import Turret

/// Observations and what comes of them: a file's, which are read when they are due, or a pipe's,
/// which come in bytes.
struct AimSource: ~Copyable {
  /// A FIFO holds no more than a MiB.
  private static let readBytes = 65_536
  private static let readsMax = 17

  private var reader: ObservationReader
  private var aimer: Aimer
  private(set) var tally: AimTally
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
    tally = AimTally(options)
  }

  /// A descriptor for reading on without waiting; what is there already is taken. Its own, where
  /// there can be one: others may use the one that it was opened with, and would not expect that.
  /// Nil: no more comes.
  mutating func openAgain() throws(TraceError) -> FileDescriptor? {
    guard let descriptor = reader.descriptor else { return nil }
    let own = try? FileDescriptor.open(
      "/dev/fd/\(descriptor.rawValue)", .readOnly, options: [.nonBlocking, .closeOnExec])
    guard let own else { return try? descriptor.closeOnExecDuplicate() }
    // A FIFO whose writers were gone by now tells its end only to one who reads.
    for _ in 0..<Self.readsMax {
      guard let bytes = Self.read(own) else { return own }
      do throws(TraceError) {
        try reader.append(bytes)
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

  /// None is the end; nil: nothing is there yet, or it cannot be read.
  private static func read(_ descriptor: FileDescriptor) -> [UInt8]? {
    try? [UInt8](unsafeUninitializedCapacity: readBytes) { buffer, count in
      count = try descriptor.read(into: UnsafeMutableRawBufferPointer(buffer))
    }
  }

  /// A file's next frame, its outcome and its time, if that is not after `time`. At the end nil,
  /// and `nextTime` is nil.
  mutating func see(until time: Instant) throws(TraceError) -> (Sighting, Instant)? {
    if next == nil { next = try reader.next() }
    guard let frame = next, reader.time <= time else { return nil }
    next = nil
    return see(frame)
  }

  /// When the frame that `see` held back is due; nil: there is none.
  var nextTime: Instant? { next == nil ? nil : reader.time }

  /// Takes a pipe's bytes; none is its end.
  mutating func append(_ bytes: [UInt8]) throws(TraceError) { try reader.append(bytes) }

  /// A pipe's next frame that is whole, its outcome and its time.
  mutating func see() throws(TraceError) -> (Sighting, Instant)? {
    guard reader.hasNext, let frame = try reader.next() else { return nil }
    return see(frame)
  }

  private mutating func see(_ frame: Frame) -> (Sighting, Instant) {
    let sighting = aimer.sight(frame)
    tally.take(frame, sighting)
    return (sighting, reader.time)
  }
}
