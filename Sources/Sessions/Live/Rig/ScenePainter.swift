import Engine
import Network
import Platform
import Sketches
import SystemPackage

/// The program that draws the pictures of a session's camera, `sentry-camera scene`, as a child
/// process. One picture at most is being drawn and one waits; a newer one replaces that.
///
///     drawing --ended, or wrote something else--> failed
///
/// After that, there are no more pictures, and the session continues.
final class ScenePainter {
  private static let name = "sentry-camera"
  /// As much is read at once as a pipe contains.
  private static let chunk = 65_536
  /// How often it is read in one turn of the bench at most.
  private static let chunksMax = 16

  private let system: any SystemCalls
  private var child: ChildProcess
  private let output: CInt
  /// nil after the end.
  private var input: CInt?
  private var scanner = DrawnPictures()
  private var drawing: SceneFrame?
  private var waiting: SceneFrame?
  private(set) var isOver = false
  private var isReported = false
  /// When its output ended; nil before.
  private var ended: HostTime?
  /// How long its status is waited for after that.
  private static let statusTime = Interval.milliseconds(500)
  /// How many pictures were replaced by newer ones, because drawing takes too long.
  private(set) var replacedCount = 0
  private(set) var drawnCount = 0

  /// Starts it.
  ///
  /// - Parameters:
  ///   - device: the video device that also gets the pictures; nil for none.
  ///   - programs: where it can be, in order of preference.
  init(
    _ header: SceneHeader, device: String?, programs: [String] = programs,
    on system: any SystemCalls
  ) throws(Failure) {
    self.system = system
    let toChild: (readEnd: CInt, writeEnd: CInt)
    let fromChild: (readEnd: CInt, writeEnd: CInt)
    do throws(Errno) {
      toChild = try system.pipe()
      do throws(Errno) {
        fromChild = try system.pipe()
      } catch {
        system.close(toChild.readEnd)
        system.close(toChild.writeEnd)
        throw error
      }
    } catch {
      throw Failure(.unavailable, "error: cannot create a pipe for \(Self.name): \(error)")
    }
    let arguments = ["scene"] + (device.map { ["--device", $0] } ?? [])
    let wiring = ChildProcess.Wiring(
      input: FileDescriptor(rawValue: toChild.readEnd),
      output: FileDescriptor(rawValue: fromChild.writeEnd), isCompanion: false)
    defer {
      system.close(toChild.readEnd)
      system.close(fromChild.writeEnd)
    }
    do throws(Failure) {
      child = try Self.start(programs, arguments, wiring, system)
    } catch {
      system.close(toChild.writeEnd)
      system.close(fromChild.readEnd)
      throw error
    }
    (input, output) = (toChild.writeEnd, fromChild.readEnd)
    system.makeNonblocking(toChild.writeEnd)
    system.makeNonblocking(fromChild.readEnd)
    write(header.line)
  }

  deinit {
    end()
    system.close(output)
  }

  /// On the PATH, and in the tree in which this program was built.
  static var programs: [String] {
    [name] + (SharedFiles.sourceTree.map { ["\($0)/.build/camera/bin/\(name)"] } ?? [])
  }

  private static func start(
    _ programs: [String], _ arguments: [String], _ wiring: ChildProcess.Wiring,
    _ system: any SystemCalls
  ) throws(Failure) -> ChildProcess {
    for program in programs {
      do throws(Failure) {
        return try ChildProcess.start([program] + arguments, wiring: wiring, on: system)
      } catch {
        // Not found: see the next place.
        guard error.status == ExitStatus(rawValue: 127) else { throw error }
      }
    }
    let tree = SharedFiles.sourceTree.map { " in \($0)" } ?? " in the project's folder"
    throw Failure(
      .unavailable,
      "error: \(name) draws what the rig's camera sees, and is not on the PATH: "
        + "`make camera-setup`\(tree) sets it up, with Python 3.11 or later")
  }

  /// Becomes readable when a picture has been drawn; nil after the end.
  var descriptor: FileDescriptor? { isOver ? nil : FileDescriptor(rawValue: output) }

  /// Has a picture drawn, as soon as the one before it is finished.
  func draw(_ frame: SceneFrame) {
    guard !isOver else { return }
    if drawing == nil {
      begin(frame)
    } else {
      if waiting != nil { replacedCount += 1 }
      waiting = frame
    }
  }

  private func begin(_ frame: SceneFrame) {
    drawing = frame
    write(frame.line)
  }

  /// A line always fits into the pipe, because the one before it has been answered. A program that
  /// does not read any more has ended.
  private func write(_ line: [UInt8]) {
    guard let input else { return }
    do throws(Errno) {
      try system.writeAll(input, line)
    } catch {
      closeInput()
    }
  }

  /// Returns the pictures that have been drawn since the last call, and a remark if there will be
  /// no more.
  func look() -> (pictures: [CameraPicture], remark: String?) {
    var pictures: [CameraPicture] = []
    do throws(DrawnPictures.Flaw) {
      for _ in 0..<Self.chunksMax where !isOver {
        guard let bytes = try? system.read(output, upTo: Self.chunk) else { break }
        guard !bytes.isEmpty else {
          isOver = true
          break
        }
        for picture in try scanner.take(bytes) { pictures.append(try take(picture)) }
      }
    } catch {
      end()
      isReported = true
      return (pictures, Self.remark(error.reason))
    }
    guard isOver, !isReported else { return (pictures, nil) }
    let ended = ended ?? system.now
    self.ended = ended
    child.updateStatus()
    guard child.status != nil || system.now - ended > Self.statusTime else {
      return (pictures, nil)
    }
    let how = child.status.map { "it ended with status \($0.rawValue)" } ?? "it ended"
    closeInput()
    isReported = true
    return (pictures, Self.remark(how))
  }

  private static func remark(_ why: String) -> String {
    "The camera has no more pictures: \(name) scene draws them, and \(why)."
  }

  private func take(
    _ picture: (number: UInt32, jpeg: [UInt8])
  ) throws(DrawnPictures.Flaw) -> CameraPicture {
    guard let frame = drawing, frame.number == picture.number else {
      throw DrawnPictures.Flaw(reason: "it has drawn another picture than it should")
    }
    drawnCount += 1
    drawing = nil
    if let next = waiting {
      waiting = nil
      begin(next)
    }
    return CameraPicture(
      number: Int(frame.number), time: frame.time, taken: frame.taken, jpeg: picture.jpeg)
  }

  private func closeInput() {
    if let input { system.close(input) }
    input = nil
  }

  /// Ends it.
  func end() {
    isOver = true
    closeInput()
    child.kill()
  }
}
