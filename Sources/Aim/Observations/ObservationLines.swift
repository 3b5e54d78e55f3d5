package import Sketches
package import Traces

/// Parses the lines of observations in order: the header, then the frames.
///
/// A value that is not a number, or not shaped like a box, is an error. A box beyond the edge, a
/// size below 0 and a confidence outside 0...1 are not: `SoundFilter` decides about them.
package struct ObservationLines: Sendable {
  package typealias Failure = LineScanner.Failure

  private static let frameKeys: [StaticString] = ["t", "found"]
  private static let foundKeys: [StaticString] = [
    "kind", "box", "confidence", "label", "corners", "landmarks",
  ]

  /// The most observations in a frame. Each can be compared with every other: with this many, a
  /// frame takes a tenth of a second.
  private static let foundMax = 10_000

  package let camera: Camera
  /// The time of the last frame.
  package private(set) var time = Instant.zero

  /// Parses the header's line.
  package init(header: UnsafeRawBufferPointer) throws(Failure) {
    camera = try CameraParser(header).parse()
  }

  /// Parses the line of the next frame. After an error, the caller can leave the frame out.
  package mutating func frame(_ line: UnsafeRawBufferPointer) throws(Failure) -> Frame {
    var scanner = LineScanner(line)
    var found: [Observation] = []
    var (timeOffset, time) = (0, Instant.zero)
    let seen = try scanner.takeObject("a frame, which starts with '{'", keys: Self.frameKeys) {
      (key, scanner) throws(Failure) in
      if key == 0 {
        scanner.skipSpace()
        timeOffset = scanner.position
        time = Instant(nanoseconds: try scanner.takeNanoseconds("a time in seconds"))
      } else {
        try scanner.takeList("a list of what was found, which starts with '['") {
          (scanner) throws(Failure) in
          guard found.count < Self.foundMax else {
            throw Failure(
              offset: scanner.position,
              message: "expected at most \(Self.foundMax) things in a frame, found more")
          }
          found.append(try Self.takeObservation(&scanner))
        }
      }
    }
    try Self.need(seen, 0, Self.frameKeys, in: "a frame", scanner)
    try Self.need(seen, 1, Self.frameKeys, in: "a frame", scanner)
    try scanner.takeEnd()
    guard time >= self.time else {
      throw Failure(
        offset: timeOffset,
        message: "expected a time that is not before the last frame's, "
          + "\(String(canonical: self.time)) s, found \(String(canonical: time)) s")
    }
    self.time = time
    return Frame(time: time.seconds, found: found)
  }

  private static func takeObservation(_ scanner: inout LineScanner) throws(Failure) -> Observation {
    var result = Observation(.face, box: nil)
    let seen = try scanner.takeObject("an object, which starts with '{'", keys: foundKeys) {
      (key, scanner) throws(Failure) in
      switch key {
      case 0: result.kind = try takeKind(&scanner)
      case 1: result.box = try takeBox(&scanner)
      case 2: result.confidence = try scanner.takeDouble("a confidence from 0 to 1")
      case 3: result.label = try scanner.takeText("a label in quotes")
      case 4: result.corners = try takeCorners(&scanner)
      default: result.landmarks = try takeLandmarks(&scanner)
      }
    }
    let what = result.kind.rawValue
    try need(seen, 0, foundKeys, in: "an observation", scanner)
    try need(seen, 2, foundKeys, in: what, scanner)
    if result.kind != .class { try need(seen, 1, foundKeys, in: what, scanner) }
    if result.kind == .class || result.kind == .object {
      try need(seen, 3, foundKeys, in: what, scanner)
    }
    return result
  }

  /// Fails at the closing brace of an object that lacks a key.
  private static func need(
    _ seen: UInt64, _ index: Int, _ keys: [StaticString], in what: @autoclosure () -> String,
    _ scanner: borrowing LineScanner
  ) throws(Failure) {
    guard seen & (1 << index) == 0 else { return }
    throw Failure(
      offset: scanner.position - 1,
      message: "expected the key \"\(keys[index])\" in \(what()), found its end")
  }

  private static func takeKind(_ scanner: inout LineScanner) throws(Failure) -> Observation.Kind {
    scanner.skipSpace()
    let offset = scanner.position
    let word = try scanner.takeText("a kind in quotes")
    guard let kind = Observation.Kind(rawValue: word) else {
      let kinds = Observation.Kind.allCases.map { "\"\($0.rawValue)\"" }.joined(separator: ", ")
      throw Failure(
        offset: offset, message: "expected one of \(kinds), found \(PlainText.quoted(word))")
    }
    return kind
  }

  private static func takeBox(_ scanner: inout LineScanner) throws(Failure) -> Box {
    try scanner.take("[", "a box [x, y, width, height]")
    let x = try scanner.takeDouble("a box's x, a number")
    try scanner.take(",", "',' and a box's y")
    let y = try scanner.takeDouble("a box's y, a number")
    try scanner.take(",", "',' and a box's width")
    let width = try scanner.takeDouble("a box's width, a number")
    try scanner.take(",", "',' and a box's height")
    let height = try scanner.takeDouble("a box's height, a number")
    try scanner.take("]", "']' after a box's four numbers")
    return Box(x, y, width, height)
  }

  private static func takePoints(
    _ what: StaticString, _ scanner: inout LineScanner
  ) throws(Failure) -> [Point] {
    var points: [Point] = []
    try scanner.takeList(what) { (scanner) throws(Failure) in
      try scanner.take("[", "a point [x, y]")
      let x = try scanner.takeDouble("a point's x, a number")
      try scanner.take(",", "',' and a point's y")
      let y = try scanner.takeDouble("a point's y, a number")
      try scanner.take("]", "']' after a point's two numbers")
      points.append(Point(x, y))
    }
    return points
  }

  private static func takeCorners(_ scanner: inout LineScanner) throws(Failure) -> [Point] {
    scanner.skipSpace()
    let offset = scanner.position
    let corners = try takePoints("a list of four corners", &scanner)
    guard corners.count == 4 else {
      throw Failure(offset: offset, message: "expected four corners, found \(corners.count)")
    }
    return corners
  }

  private static func takeLandmarks(
    _ scanner: inout LineScanner
  ) throws(Failure) -> [String: [Point]] {
    var landmarks: [String: [Point]] = [:]
    try scanner.expectNext("{", "landmarks, which start with '{'")
    try scanner.takeObject { (name, _, scanner) throws(Failure) in
      landmarks[name] = try takePoints("a list of points [x, y]", &scanner)
    }
    return landmarks
  }
}
