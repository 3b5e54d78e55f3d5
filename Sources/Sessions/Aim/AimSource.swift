import Aim
import Files
import Platform
import SystemPackage
import Traces
import Turret

/// Reads observations and works out their commands: from a file, when they are due, or from a pipe,
/// as bytes arrive.
struct AimSource: ~Copyable {
  /// The size of one read. A FIFO holds at most a MiB.
  private static let readBytes = 65_536
  private static let readsMax = 17

  private var reader: ObservationReader
  private var aimer: Aimer
  private(set) var tally: AimTally
  /// Whether frames are played at their recorded times, as from a file, not as they are written.
  let isRecorded: Bool
  /// A file's frame that was read before it was due.
  private var next: Frame?

  /// Opens the file at `path`, or standard input for `-`, and reads its header.
  init(_ path: String, _ options: AimOptions) throws(TraceError) {
    let reader = try ObservationReader(path: path)
    aimer = try reader.makeAimer(options)
    isRecorded = (try? reader.descriptor?.stat())?.type == .regular
    self.reader = reader
    tally = AimTally(options)
  }

  /// Returns a non-blocking descriptor for the rest, after taking the bytes that are already there.
  /// The descriptor is a new one if possible, because other processes may share the original and do
  /// not expect it to change. Nil if the input has ended.
  mutating func openAgain() throws(TraceError) -> FileDescriptor? {
    guard let descriptor = reader.descriptor else { return nil }
    let own = try? FileDescriptor.open(
      "/dev/fd/\(descriptor.rawValue)", .readOnly, options: [.nonBlocking, .closeOnExec])
    guard let own else { return try? descriptor.closeOnExecDuplicate() }
    // A FIFO whose writers have already gone reports its end only to a read.
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

  /// Returns bytes, empty at the end; nil if none are available or the read failed.
  private static func read(_ descriptor: FileDescriptor) -> [UInt8]? {
    try? [UInt8](unsafeUninitializedCapacity: readBytes) { buffer, count in
      count = try descriptor.read(into: UnsafeMutableRawBufferPointer(buffer))
    }
  }

  /// Returns a file's next frame, as its outcome and time, if it is not after `time`. At the end
  /// both this and `nextTime` are nil.
  mutating func see(until time: Instant) throws(TraceError) -> (Sighting, Instant)? {
    if next == nil { next = try reader.next() }
    guard let frame = next, reader.time <= time else { return nil }
    next = nil
    return see(frame)
  }

  /// When the frame held back by `see` is due; nil if there is none.
  var nextTime: Instant? { next == nil ? nil : reader.time }

  /// Takes a pipe's bytes. An empty array means its end.
  mutating func append(_ bytes: [UInt8]) throws(TraceError) { try reader.append(bytes) }

  /// Returns a pipe's next complete frame, as its outcome and time.
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
