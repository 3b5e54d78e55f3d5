import Sketches
import Testing

@testable import Sessions

struct SceneTextTests {
  private static func text(_ line: [UInt8]) -> String { String(decoding: line, as: UTF8.self) }

  @Test func `The header describes the camera`() {
    var header = SceneHeader(
      width: 640, height: 480, fov: 62.5, face: nil, background: "a \"b\".png",
      seed: 1 << 32 | 7, isMirrored: false)
    #expect(
      Self.text(header.line)
        == "{\"format\": \"sentry-scene\", \"version\": 1, \"width\": 640, \"height\": 480, "
        + "\"fov\": 62.5, \"face\": null, \"background\": \"a \\\"b\\\".png\", \"seed\": 7, "
        + "\"grows\": \"right\"}\n")
    header.isMirrored = true
    #expect(Self.text(header.line).hasSuffix("\"grows\": \"left\"}\n"))
  }

  @Test func `A frame is a line with its boxes`() {
    var frame = SceneFrame(
      number: .max, time: .zero + .milliseconds(1_501), taken: HostTime(nanoseconds: 0),
      pan: 90, faces: [])
    #expect(
      Self.text(frame.line)
        == "{\"frame\": 4294967295, \"time\": 1.501, \"pan\": 90, \"faces\": []}\n")
    frame.tilt = 80.25
    #expect(
      Self.text(frame.line).hasSuffix("\"pan\": 90, \"tilt\": 80.25, \"faces\": []}\n"))
    frame.tilt = 90
    frame.pan = -12.3456789
    frame.faces = [
      .init(x: 1.0 / 3, y: -0.5, width: 1e-9, height: 2), .init(x: 0, y: 0, width: 1, height: 1),
    ]
    #expect(
      Self.text(frame.line).hasSuffix(
        "\"pan\": -12.345679, \"faces\": [[0.333333, -0.5, 0, 2], [0, 0, 1, 1]]}\n"))
  }

  private static func written(_ number: UInt32, _ jpeg: [UInt8]) -> [UInt8] {
    func bytes(_ value: UInt32) -> [UInt8] {
      [24, 16, 8, 0].map { UInt8(truncatingIfNeeded: value >> $0) }
    }
    return Array("SJP1".utf8) + bytes(number) + bytes(UInt32(jpeg.count)) + jpeg
  }

  @Test(arguments: [1, 2, 5, 11, 12, 13, 100, 100_000])
  func `Pictures are found however their bytes arrive`(_ size: Int) throws {
    let pictures: [(UInt32, [UInt8])] = [
      (1, Array("SJP1SJP1".utf8)), (4_000_000_000, []), (3, [UInt8](repeating: 7, count: 300)),
    ]
    let all = pictures.flatMap { Self.written($0, $1) }
    var scanner = DrawnPictures()
    var found: [(number: UInt32, jpeg: [UInt8])] = []
    for begin in stride(from: 0, to: all.count, by: size) {
      found += try scanner.take(Array(all[begin..<min(begin + size, all.count)]))
    }
    #expect(found.map(\.number) == pictures.map(\.0))
    #expect(found.map(\.jpeg) == pictures.map(\.1))
  }

  @Test(arguments: [
    (Array("Traceback (most".utf8), "what it writes is not a picture of a scene"),
    (Array("SJP2".utf8) + [0, 0, 0, 1, 0, 0, 0, 0], "what it writes is not a picture of a scene"),
    (Array("SJP1".utf8) + [0, 0, 0, 1, 0xFF, 0, 0, 0], "it writes a picture of 4278190080 bytes"),
  ])
  func `What another program writes is refused`(_ bytes: [UInt8], _ reason: String) {
    var scanner = DrawnPictures()
    let flaw = #expect(throws: DrawnPictures.Flaw.self) { try scanner.take(bytes) }
    #expect(flaw?.reason == reason)
  }
}
