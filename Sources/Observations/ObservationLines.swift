package import Aim
package import Traces
package import Turret

/// Parses the lines of observations in order: the header, then the frames.
package struct ObservationLines: Sendable {
  package let camera: Camera
  /// The time of the last frame.
  package private(set) var time = Instant.zero

  /// Parses the header's line.
  package init(header: UnsafeRawBufferPointer) throws(LineScanner.Failure) {
    camera = try CameraParser(header).parse()
  }

  /// Parses the line of the next frame. After an error, the caller can leave the frame out.
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
