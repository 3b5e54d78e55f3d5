import Aim
import Observations
package import PageRequests
import Traces
import Turret

/// Aims for the phone's page as `sentrybench aim` does: a value that takes a request and returns an
/// answer. It has no camera, no clock and no connection; the answer to a wrong request is a
/// message.
///
///     camera {"gravity": "aspect-fill", "stick": 1.2}
///     {"format": "sentry-observations", "version": 1, "image": [320, 240], "view": [390, 844]}
///
/// | request | what follows the first line | answer |
/// |---|---|---|
/// | `camera OPTIONS` | the header of observations | empty |
/// | `see` | a frame of observations | what the page shows, and the command: `Sighting.pageText` |
/// | `lose` | nothing: no picture can be seen | the same |
/// | `reconnect` | nothing: the turret's state is not known | empty; the next command is not nil |
package struct PhoneAim: Sendable {
  private struct Running: Sendable {
    var lines: ObservationLines
    var aimer: Aimer
  }

  private var running: Running?

  package init() {}

  /// Answers a request.
  package mutating func answer(_ bytes: [UInt8]) -> PageAnswer {
    let request = PageRequest(bytes)
    do throws(PageFailure) {
      return PageAnswer(.result, try result(request))
    } catch {
      return PageAnswer(.failure, Array(error.message.utf8))
    }
  }

  private mutating func result(_ request: PageRequest) throws(PageFailure) -> [UInt8] {
    switch request.word {
    case "camera":
      running = try Self.begin(header: request.payload, options: request.argument)
      return []
    case "see":
      var (lines, aimer) = try parts
      let frame = try Self.parse(request.payload) { (line) throws(LineScanner.Failure) in
        try lines.frame(line)
      }
      let sighting = aimer.see(frame)
      running = Running(lines: lines, aimer: aimer)
      return sighting.pageText
    case "lose":
      var (lines, aimer) = try parts
      let sighting = aimer.see(Frame(time: lines.time.seconds, found: []))
      running = Running(lines: lines, aimer: aimer)
      return sighting.pageText
    case "reconnect":
      running?.aimer.reconnect()
      return []
    default: throw PageFailure("expected camera, see, lose or reconnect")
    }
  }

  private var parts: (ObservationLines, Aimer) {
    get throws(PageFailure) {
      guard let running else { throw PageFailure("expected a camera first") }
      return (running.lines, running.aimer)
    }
  }

  private static func begin(
    header: [UInt8], options: String
  ) throws(PageFailure) -> Running {
    let options = try AimOptions(page: options)
    let lines = try parse(header) { (line) throws(LineScanner.Failure) in
      try ObservationLines(header: line)
    }
    do throws(AimError) {
      return Running(lines: lines, aimer: try Aimer(camera: lines.camera, options: options))
    } catch {
      throw PageFailure(error.description)
    }
  }

  private static func parse<Value>(
    _ text: [UInt8], _ body: (UnsafeRawBufferPointer) throws(LineScanner.Failure) -> Value
  ) throws(PageFailure) -> Value {
    // Not `withUnsafeBytes`, which would lose the error's type.
    let line = UnsafeMutableRawBufferPointer.allocate(byteCount: text.count, alignment: 1)
    defer { line.deallocate() }
    line.copyBytes(from: text)
    do throws(LineScanner.Failure) {
      return try body(UnsafeRawBufferPointer(line))
    } catch {
      throw PageFailure("column \(error.offset + 1): \(error.message)")
    }
  }
}
