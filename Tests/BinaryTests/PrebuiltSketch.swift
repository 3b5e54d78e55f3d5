import AVR
import ChipDevice
import Devices
import Foundation
import Platform
import Sketches
import Testing
import Traces

/// A sketch that exists twice: as a model and as the binary that is flashed.
enum PrebuiltSketch: String, CaseIterable, Sendable, CustomTestStringConvertible {
  case classic, guarded

  static let root = URL(filePath: #filePath).deletingLastPathComponent()
    .deletingLastPathComponent().deletingLastPathComponent()

  var testDescription: String { rawValue }
  var firmware: Firmware { self == .classic ? .classic : .guarded }
  /// The path from the repository's root.
  var path: String { "firmware/\(rawValue)/\(rawValue).hex" }
  /// The latest time from reset to the first look for bytes.
  var startUp: Interval { self == .classic ? .microseconds(1_000_300) : .milliseconds(1) }

  func contents() throws -> [UInt8] {
    [UInt8](try Data(contentsOf: Self.root.appending(path: path)))
  }

  func symbols() throws -> SymbolList {
    let file = Self.root.appending(path: "Tests/BinaryTests/Symbols/\(rawValue).txt")
    return try SymbolList(String(contentsOf: file, encoding: .utf8), of: contents(), path: path)
  }

  /// The timing that `sentrybench calibrate` measured.
  func timing() throws -> Timing {
    let file = Self.root.appending(path: "Tests/BinaryTests/Timings/\(rawValue).json")
    return try Timing(path: file.path())
  }

  func source() throws -> AVRSource {
    let image = try ProgramImage(contents: contents(), name: path)
    return AVRSource(AVRProgram(image, name: path))
  }
}
