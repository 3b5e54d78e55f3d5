import AVR
import Foundation
import Testing

/// The prebuilt sketches of the repository.
enum Prebuilt: String, CaseIterable, CustomTestStringConvertible {
  case classic, guarded

  var testDescription: String { rawValue }

  var chip: ATmega328P {
    get throws {
      var folder = URL(filePath: #filePath)
      for _ in 0..<3 { folder.deleteLastPathComponent() }
      let name = "firmware/\(rawValue)/\(rawValue).hex"
      let contents = try Data(contentsOf: folder.appending(path: name))
      let image = try ProgramImage(contents: Array(contents), name: name)
      return ATmega328P(flash: image.segments.map { (Int($0.address), $0.bytes) })
    }
  }
}
