import AVR
import ChipDevice
import Devices
import Engine
import Sketches
import Traces

/// Runs programs on the emulated chip for the page, and sessions on a line with faults. Separate
/// from `Playground`, because most visits need neither.
package struct Emulator {
  private var program: AVRProgram?
  /// Performs a request in the session that is driven; nil if there is none.
  private var perform: ((DriveRequest) throws(PageFailure) -> [UInt8])?

  package init() {}

  /// Answers a request that `Playground` leaves to the chip.
  package mutating func answer(_ bytes: [UInt8]) -> PageAnswer {
    do throws(PageFailure) {
      return PageAnswer(.result, try result(PageRequest(bytes)))
    } catch {
      return PageAnswer(error)
    }
  }

  private mutating func result(_ request: PageRequest) throws(PageFailure) -> [UInt8] {
    if let request = try DriveRequest(request) {
      guard let perform else { throw PageFailure("expected drive first") }
      return try perform(request)
    }
    switch request.word {
    case "program": return try load(request)
    case "faults":
      guard !request.payload.isEmpty else { return PageFaults.list }
      return Array(try PageFaults(request.payload).options.utf8)
    case "drive":
      let faults = try PageFaults(request.payload)
      guard request.argument != "chip" else { return try startChip(faults) }
      let sketch = try SessionSketch(named: request.argument)
      return try start(try sketch.drive(on: ModelSource(), faults))
    case "replay":
      let source = AVRSource(try loaded())
      return try PageFailure.of { () throws(TraceError) in
        try SessionCommand.replay(request.payload, on: source)
      }
    default: throw PageFailure("expected a request that the emulator supports")
    }
  }

  private mutating func load(_ request: PageRequest) throws(PageFailure) -> [UInt8] {
    do throws(ImageError) {
      let image = try ProgramImage(contents: request.payload, name: request.argument)
      program = AVRProgram(image, name: request.argument)
      return []
    } catch {
      throw PageFailure(error.description)
    }
  }

  private func loaded() throws(PageFailure) -> AVRProgram {
    guard let program else { throw PageFailure("load a program first") }
    return program
  }

  private mutating func startChip(_ faults: PageFaults) throws(PageFailure) -> [UInt8] {
    let program = try loaded()
    let source = AVRSource(program)
    let name = ProgramSketch.name(ofFile: program.name)
    let sketch = SessionSketch(.guarded, Profile(undescribed: name))
    return try start(try sketch.drive(on: source, faults))
  }

  private mutating func start(
    _ start: SessionStart<some RealTimeDevice>
  ) throws(PageFailure) -> [UInt8] {
    let session = DriveSession<_, DisturbedLine>(start)
    perform = { (request) throws(PageFailure) in try session.perform(request) }
    return try session.perform(.advance(.zero))
  }
}
