import Aim
import Bench
import Traces
import Turret

#if canImport(Glibc)
  import Glibc
#elseif canImport(Musl)
  import Musl
#else
  import Darwin
#endif

/// Observations and what comes of them, in real time: a file's frames at their times, a pipe's as they
/// come. Made on one thread and run on another.
final class AimSource: @unchecked Sendable {
  private var reader: ObservationReader
  private var aimer: Aimer
  /// Whether the frames come at their own times, a file's, and not when they are written.
  let isRecorded: Bool

  /// Opens the file at `path`, `-` being standard input, and reads its header.
  init(_ path: String, _ options: AimOptions) throws(TraceError) {
    reader = try ObservationReader(path: path)
    aimer = try reader.makeAimer(options)
    var info = stat()
    let status = path == "-" ? fstat(STDIN_FILENO, &info) : stat(path, &info)
    isRecorded = status == 0 && info.st_mode & S_IFMT == S_IFREG
  }

  /// Gives each frame's outcome and its time, to the end or until `see` returns false.
  func run(_ see: (Sighting, Instant) -> Bool) throws(TraceError) {
    let start = HostTime.now
    while let frame = try reader.next() {
      if isRecorded { (start + (reader.time - .zero)).sleep() }
      guard see(aimer.see(frame), reader.time) else { return }
    }
  }
}
