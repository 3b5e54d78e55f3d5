import AVR
import Foundation

/// The prebuilt files of this repository.
enum SketchImage {
  static let root = URL(filePath: #filePath).deletingLastPathComponent()
    .deletingLastPathComponent().deletingLastPathComponent().deletingLastPathComponent()

  /// The file that is flashed to a board.
  static func prebuilt(_ sketch: String) throws -> ProgramImage {
    try read(root.appending(path: "firmware/\(sketch)/\(sketch).hex"))
  }

  static func read(_ file: URL) throws -> ProgramImage {
    try ProgramImage(contents: [UInt8](Data(contentsOf: file)), name: file.lastPathComponent)
  }
}

extension ProgramImage {
  /// The form that `ATmega328P` takes.
  var flash: [(address: Int, bytes: [UInt8])] {
    segments.map { (address: Int($0.address), bytes: $0.bytes) }
  }
}
