import AVR
import ChipDevice
import Devices
import Engine
import Judging
import Pictures
import Sketches
import Traces

/// Runs programs on the emulated chip for the page, and sessions on a line with faults. Separate
/// from `Playground`, because most visits need neither.
package struct Emulator {
  private var file: (name: String, image: ProgramImage)?
  /// The program, as the wiring requires it; nil until it is needed.
  private var program: AVRProgram?
  /// What is known of the user's sketch.
  private var profile: Profile?
  /// What is wired to the board of the user's sketch.
  private var parts: [BoardPart] = []
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
    case "profile": return try describe(request)
    case "parts": return try attach(request)
    case "faults":
      guard !request.payload.isEmpty else { return PageFaults.list }
      return Array(try PageFaults(request.payload).options.utf8)
    case "drive":
      let faults = try PageFaults(request.payload)
      if let isOwn = ["chip": false, "own": true][request.argument] {
        return try startChip(faults, isOwn: isOwn)
      }
      let sketch = try SessionSketch(named: request.argument)
      return try start(try sketch.drive(on: ModelSource(), faults))
    case "replay":
      let source = AVRSource(try loaded(isOwn: false))
      return try PageFailure.of { () throws(TraceError) in
        try SessionCommand.replay(request.payload, on: source)
      }
    default: throw PageFailure("expected a request that the emulator supports")
    }
  }

  private mutating func load(_ request: PageRequest) throws(PageFailure) -> [UInt8] {
    do throws(ImageError) {
      file = (
        request.argument, try ProgramImage(contents: request.payload, name: request.argument)
      )
      program = nil
      return []
    } catch {
      throw PageFailure(error.description)
    }
  }

  /// Takes the profile of the user's sketch; without one, nothing is known of it. Returns its name,
  /// its speed, the names of its pins, and its commands.
  private mutating func describe(_ request: PageRequest) throws(PageFailure) -> [UInt8] {
    guard !request.payload.isEmpty else {
      profile = nil
      return []
    }
    do throws(NotationError) {
      let documents = try PageYAML.documents(in: request.payload)
      let found = try ProfileParser(path: request.argument).profile(documents)
      profile = found
      var json = JSONText()
      json.add("name", found.name)
      for (key, pins) in [("servos", found.servos), ("pins", found.pins)] {
        json.add(key, .object(pins.map { .init($0.pin.name, .string($0.name)) }))
      }
      json.add("forms", found.forms)
      return Array(json.text.utf8)
    } catch {
      throw PageFailure(error, in: request.argument)
    }
  }

  /// Wires parts to the board, whose names are separated by spaces. Returns what they can be told.
  private mutating func attach(_ request: PageRequest) throws(PageFailure) -> [UInt8] {
    var wiring = ChipWiring()
    for name in request.argument.split(separator: " ") {
      guard let part = BoardPart(String(name)), wiring.attach(part) else {
        let kinds = ChipWiring.kinds.map { $0.name }.joined(separator: ", ")
        throw PageFailure(
          "expected a part at a place of its own, for example \(BoardPart.examples), found "
            + "\(PlainText.quoted(String(name))); there are \(kinds)")
      }
    }
    parts = wiring.parts
    let inputs = wiring.partInputs
    return Array(
      JSONValue.array(
        parts.compactMap { part in
          inputs[part].flatMap { $0.range.isEmpty ? nil : $0.json(of: part, .null) }
        }
      ).text.utf8)
  }

  private mutating func loaded(isOwn: Bool) throws(PageFailure) -> AVRProgram {
    guard let file else { throw PageFailure("load a program first") }
    var wiring = ChipWiring()
    if isOwn {
      wiring.pins = .all
      for part in parts { _ = wiring.attach(part) }
    }
    if let program, program.wiring == wiring { return program }
    let made = AVRProgram(file.image, name: file.name, wiring: wiring)
    program = made
    return made
  }

  /// Begins a session of the program; of the user's, with its profile and the levels of its pins.
  private mutating func startChip(
    _ faults: PageFaults, isOwn: Bool
  ) throws(PageFailure) -> [UInt8] {
    let program = try loaded(isOwn: isOwn)
    let name = ProgramSketch.name(ofFile: program.name)
    let sketch = SessionSketch(
      .guarded, isOwn ? profile ?? Profile(undescribed: name) : Profile(undescribed: name))
    return try start(
      try sketch.drive(on: AVRSource(program), faults, showsLevels: isOwn))
  }

  private mutating func start(
    _ start: SessionStart<some RealTimeDevice>
  ) throws(PageFailure) -> [UInt8] {
    let session = DriveSession<_, DisturbedLine>(start)
    perform = { (request) throws(PageFailure) in try session.perform(request) }
    return try session.perform(.advance(.zero))
  }
}
