package import Sketches
package import Traces

/// What is known of the sketch that a device's program is.
package enum ProgramSketch: Hashable, Sendable {
  case ours(Firmware)
  /// Any other program, by the name of its file.
  case other(String)

  /// The endings of a program's file, the last first: `turret.ino.with_bootloader.hex`.
  private static let endings = [".elf", ".hex", ".with_bootloader", ".ino"]

  /// Returns the name of the sketch whose program is in a file: the file's name without its
  /// folder and its endings, or `program` if that leaves nothing.
  package static func name(ofFile path: String) -> String {
    let file = path.split(separator: "/").last.map { String($0) } ?? path
    if endings.contains(file) { return "program" }
    var name = file
    for ending in endings where name.utf8.count > ending.utf8.count && name.hasSuffix(ending) {
      name.removeLast(ending.count)
    }
    return name
  }
}

extension DeviceSource {
  /// The sketch of its program. It is one of the bench's own if its file has that sketch's name and
  /// it behaves as that sketch does, in virtual time. Nil if the devices run no program of a file.
  package var programSketch: ProgramSketch? {
    guard let file = programFile else { return nil }
    let name = ProgramSketch.name(ofFile: file)
    guard let firmware = Firmware(rawValue: name) else { return .other(name) }
    if Calibration.firmware(of: self) == firmware { return .ours(firmware) }
    // The model of that name is another sketch.
    return .other(file.split(separator: "/").last.map { String($0) } ?? file)
  }
}

extension Header {
  /// Sets the sketch to that of the program on which the trace is replayed. A name that no model
  /// has stays: the trace states more than the program's file does.
  package mutating func set(_ sketch: ProgramSketch) {
    switch sketch {
    case .ours(let firmware): set(firmware: firmware)
    case .other(let name): if otherFirmware == nil { set(sketch: name) }
    }
  }
}

extension TraceReader {
  /// Sets the header's sketch to that of the program of `source`, unless it runs none. A program
  /// whose file has the name of the trace's sketch is not tried.
  package mutating func adoptSketch(of source: some DeviceSource) {
    guard let file = source.programFile,
      header.firmware?.rawValue != ProgramSketch.name(ofFile: file)
    else { return }
    if let sketch = source.programSketch { header.set(sketch) }
  }
}
