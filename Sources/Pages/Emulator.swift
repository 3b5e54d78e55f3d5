import AVR
import ChipDevice
import Devices
import Engine
import Sketches
import Traces

/// Runs programs on the emulated chip for the page. Separate from `Playground`, because most visits
/// do not need the chip.
package struct Emulator {
  private var program: AVRProgram?
  private var drive: DriveSession<AVRDevice>?

  package init() {}

  /// Answers a request that `Playground` leaves to the chip.
  package mutating func answer(_ bytes: [UInt8]) -> PageAnswer {
    do throws(PageFailure) {
      return PageAnswer(.result, try result(PageRequest(bytes)))
    } catch {
      return PageAnswer(.failure, Array(error.message.utf8))
    }
  }

  private mutating func result(_ request: PageRequest) throws(PageFailure) -> [UInt8] {
    if let request = try DriveRequest(request) {
      guard let drive else { throw PageFailure("expected drive chip first") }
      return try drive.perform(request)
    }
    switch request.word {
    case "program": return try load(request)
    case "drive": return try startDriving()
    case "replay":
      let source = AVRSource(try loaded())
      do throws(TraceError) {
        return try SessionCommand.replay(request.payload, on: source)
      } catch {
        throw PageFailure(error)
      }
    default: throw PageFailure("expected program, drive, replay or a request that drives a session")
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

  private mutating func startDriving() throws(PageFailure) -> [UInt8] {
    let program = try loaded()
    let source = AVRSource(program)
    let name = ProgramSketch.name(ofFile: program.name)
    let sketch = SessionSketch(.guarded, Profile(undescribed: name))
    let session = DriveSession(try sketch.drive(on: source))
    drive = session
    return try session.perform(.advance(.zero))
  }
}
