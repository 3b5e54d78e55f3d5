package import Aim
package import Traces
package import Turret

/// Parses the lines of observations in their order: the header, then one frame after the other.
package struct ObservationLines: Sendable {
  package let camera: Camera
  /// The time of the last frame.
  package private(set) var time = Instant.zero

  /// Parses the header's line.
  package init(header: UnsafeRawBufferPointer) throws(LineScanner.Failure) {
    camera = try CameraParser(header).parse()
  }

  /// Parses the line of the next frame. After an error, the frame can be left out.
  package mutating func frame(
    _ line: UnsafeRawBufferPointer
  ) throws(LineScanner.Failure) -> Frame {
    var parser = FrameParser(line)
    let frame = try parser.parse()
    guard parser.time >= time else {
      throw LineScanner.Failure(
        offset: parser.timeOffset,
        message: "expected a time that is not before the last frame's, "
          + "\(String(canonical: time)) s, found \(String(canonical: parser.time)) s")
    }
    time = parser.time
    return frame
  }
}
