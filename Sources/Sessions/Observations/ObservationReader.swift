import Aim
import Files
import Observations
import SystemPackage
import Traces
import Turret

/// Reads observations frame by frame. The memory it needs depends only on the longest line.
struct ObservationReader: ~Copyable {
  private var lines: ObservationLines
  private var file: LineFile

  /// Parses the header of the file at `path`, or standard input for `-`.
  init(path: String) throws(TraceError) {
    var file = try LineFile(path: path, wanting: "observations")
    guard let line = try file.next() else {
      throw TraceError(
        .malformed, path: path, line: 1, column: 1, "expected a header, found an empty file")
    }
    do throws(LineScanner.Failure) {
      lines = try ObservationLines(header: line)
    } catch {
      // Not `file.error`: a file that was cut off is useless without its header.
      throw TraceError(
        .malformed, path: path, line: 1, column: error.offset + 1, error.message)
    }
    self.file = file
  }

  /// The time of the last frame returned.
  var time: Instant { lines.time }

  /// Whether the next frame is buffered, so that `next` does not block.
  var hasNext: Bool { file.hasNext }

  /// The descriptor it reads from.
  var descriptor: FileDescriptor? { file.descriptor }

  /// Appends bytes that the caller has read from the descriptor; an empty array means the end. From
  /// then on call `next` only for buffered frames.
  mutating func append(_ bytes: [UInt8]) throws(TraceError) { try file.append(bytes) }

  /// Returns the next frame; nil at the end. After an error, nothing more can be read.
  mutating func next() throws(TraceError) -> Frame? {
    guard let line = try file.next() else { return nil }
    do throws(LineScanner.Failure) {
      return try lines.frame(line)
    } catch {
      throw file.error(error)
    }
  }

  /// Creates the aiming chain for this camera.
  func makeAimer(_ options: AimOptions) throws(TraceError) -> Aimer {
    do {
      return try Aimer(camera: lines.camera, options: options)
    } catch {
      var message = error.description
      if error == .noFieldOfView {
        message += ": put \"fov\" into the header, or choose --mapping linear"
      }
      throw TraceError(.malformed, path: file.path, line: 1, message)
    }
  }
}
