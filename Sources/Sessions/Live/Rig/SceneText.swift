import Sketches
import Traces

/// The lines that `sentry-camera scene` reads, and the pictures that it writes.
/// senders/camera/sentry_camera/scene.py describes both.
struct SceneHeader: Hashable {
  /// The greatest width and height that the program draws, in pixels.
  static let sideMax = 2_048

  var width: Int
  var height: Int
  /// The horizontal field of view, in degrees.
  var fov: Double
  /// Pictures of the user's in place of those that are drawn; nil for none.
  var face: String?
  var background: String?
  var seed: UInt64
  var isMirrored: Bool

  var line: [UInt8] {
    SceneFrame.line([
      .init("format", .string("sentry-scene")), .init("version", .whole(1)),
      .init("width", .whole(width)), .init("height", .whole(height)),
      .init("fov", .number(String(shortest: fov))), .init("face", .text(face)),
      .init("background", .text(background)),
      // The program takes 32 bits.
      .init("seed", .whole(UInt32(truncatingIfNeeded: seed))),
      .init("grows", .string(isMirrored ? "left" : "right")),
    ])
  }
}

/// What is in a picture.
struct SceneFrame: Hashable {
  /// A face's place, as shares of the picture, with the origin at the upper left.
  struct Face: Hashable {
    var x: Double
    var y: Double
    var width: Double
    var height: Double
  }

  var number: UInt32
  /// The session's time.
  var time: Instant
  /// The computer's clock.
  var taken: HostTime
  /// Where the camera looks, in degrees: 90 is straight ahead and level.
  var pan: Double
  var tilt = 90.0
  var faces: [Face]

  var line: [UInt8] {
    func share(_ value: Double) -> JSONValue {
      .number(String(shortest: (value * 1e6).rounded() / 1e6))
    }
    var members: [JSONValue.Member] = [
      .init("frame", .whole(number)), .init("time", .seconds(time)), .init("pan", share(pan)),
    ]
    if tilt != 90 { members.append(.init("tilt", share(tilt))) }
    let boxes = faces.map { face in
      JSONValue.array([share(face.x), share(face.y), share(face.width), share(face.height)])
    }
    return Self.line(members + [.init("faces", .array(boxes))])
  }

  static func line(_ members: [JSONValue.Member]) -> [UInt8] {
    var line: [UInt8] = []
    JSONValue.object(members).append(to: &line)
    line.append(UInt8(ascii: "\n"))
    return line
  }
}

/// Takes the bytes that the program writes, and gives the pictures in them.
struct DrawnPictures {
  /// What is not the output of this program.
  struct Flaw: Error, Hashable {
    let reason: String
  }

  /// More than a picture can have, in bytes.
  static let bytesMax = 8 << 20
  private static let magic = Array("SJP1".utf8)
  private static let headCount = 12

  private var bytes: [UInt8] = []

  mutating func take(_ more: [UInt8]) throws(Flaw) -> [(number: UInt32, jpeg: [UInt8])] {
    bytes += more
    var pictures: [(number: UInt32, jpeg: [UInt8])] = []
    var begin = 0
    while bytes.count - begin >= Self.headCount {
      guard bytes[begin..<begin + 4].elementsEqual(Self.magic) else {
        throw Flaw(reason: "what it writes is not a picture of a scene")
      }
      func number(at place: Int) -> UInt32 {
        bytes[place..<place + 4].reduce(0) { $0 << 8 | UInt32($1) }
      }
      let length = Int(number(at: begin + 8))
      guard length <= Self.bytesMax else {
        throw Flaw(reason: "it writes a picture of \(length) bytes")
      }
      let first = begin + Self.headCount
      guard bytes.count - first >= length else { break }
      pictures.append((number(at: begin + 4), Array(bytes[first..<first + length])))
      begin = first + length
    }
    bytes.removeFirst(begin)
    return pictures
  }
}
