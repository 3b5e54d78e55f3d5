import Devices
import Engine
import Pictures
import Sketches
import Traces

/// Everything that the playground's page requests: a value that takes a request and returns an
/// answer. It has no page, no clock and no file; the answer to a wrong request is a message.
package struct Playground {
  private typealias ModelDrive = DriveSession<Model, DirectLine>

  private let work = PageWork()
  private var recording: OpenRecording?
  private var lesson: OpenRecording?
  /// The session that is driven; nil if `Emulator` has it.
  private var drive: ModelDrive?
  private var camera = PageCamera()
  private var rig: PageRig?

  package init() { drive = try? Self.session(SessionSketch(.classic)) }

  package mutating func answer(_ bytes: [UInt8]) -> PageAnswer {
    let request = PageRequest(bytes)
    if request.word == "open", TraceReader.begins(request.payload) == false {
      return PageAnswer(.convert, [])
    }
    if request.word == "vcd" { return PageAnswer(.draw, []) }
    if isForEmulator(request) { return PageAnswer(.chip, []) }
    work.begin(isResult: request.word == "done")
    do throws(PageFailure) {
      let result = try result(request)
      return work.due ?? PageAnswer(.result, result)
    } catch {
      // A request also fails if the browser first has to do something.
      return work.due ?? PageAnswer(error)
    }
  }

  /// Whether a request is for the chip or a line with faults. `drive` of these ends the session
  /// here, and the session's requests after it are for `Emulator`.
  private mutating func isForEmulator(_ request: PageRequest) -> Bool {
    switch (request.word, request.argument) {
    case ("program", _), ("profile", _), ("parts", _), ("faults", _), ("replay", "chip"):
      return true
    case ("drive", let sketch)
    where sketch == "chip" || sketch == "own" || !request.payload.isEmpty:
      drive = nil
      camera = PageCamera()
      return true
    default: return drive == nil && DriveRequest.Word(rawValue: request.word) != nil
    }
  }

  private mutating func result(_ request: PageRequest) throws(PageFailure) -> [UInt8] {
    if let request = try DriveRequest(request) { return try drive?.perform(request) ?? [] }
    if let command = SessionCommand(rawValue: request.word) {
      return try run(command, request.payload, on: request.argument)
    }
    switch request.word {
    case "drive": return try startDriving(request.argument)
    case "look": return Array(try camera.look(request.argument).utf8)
    case "rig":
      let rig = try PageRig.perform(PageRigRequest(request.argument), on: self.rig)
      self.rig = rig
      return rig.state
    case "open": return try open(DroppedFile(request.payload, name: request.argument))
    case "converted":
      return try open(DroppedFile(converted: request.payload, name: request.argument))
    case "lesson":
      lesson = try Self.opened(DroppedFile(request.payload, name: "session"))
      return []
    case "done":
      try work.finish(request.payload)
      return []
    case "lessons": return Lesson.list
    case "sketches":
      return Array(JSONValue.array(Firmware.allCases.map { .string($0.rawValue) }).text.utf8)
    case "style": return Array(ReportPage.style.utf8)
    case "definitions": return Array(ReportPage.definitions.utf8)
    case "section":
      // The page shows two at once, whose parts need different names.
      let isLesson = request.argument == "lesson"
      return Array(try opened(isLesson ? lesson : recording).section(isLesson ? 2 : 1, work).utf8)
    case "report": return Array(try opened(recording).report(request.payload, work).utf8)
    case "trace": return try opened(recording).file.text
    case "svg":
      let text = try opened(recording).file.text
      return try run(.plot, text, on: "model")
    default: throw PageFailure("expected a request that the playground supports")
    }
  }

  private func opened(_ recording: OpenRecording?) throws(PageFailure) -> OpenRecording {
    guard let recording else { throw PageFailure("open a recording first") }
    return recording
  }

  private mutating func open(_ file: DroppedFile) throws(PageFailure) -> [UInt8] {
    let opened = try Self.opened(file)
    recording = opened
    return opened.summary
  }

  private static func opened(_ file: DroppedFile) throws(PageFailure) -> OpenRecording {
    try PageFailure.of { () throws(TraceError) in try OpenRecording(file) }
  }

  private func run(
    _ command: SessionCommand, _ text: [UInt8], on device: String
  ) throws(PageFailure) -> [UInt8] {
    guard device == "model" else { throw PageFailure("expected model after the command") }
    return try PageFailure.of { () throws(TraceError) in try command.run(text) }
  }

  private mutating func startDriving(_ sketch: String) throws(PageFailure) -> [UInt8] {
    let session = try Self.session(try SessionSketch(named: sketch))
    drive = session
    camera = PageCamera()
    return try session.perform(.advance(.zero))
  }

  private static func session(_ sketch: SessionSketch) throws(PageFailure) -> ModelDrive {
    ModelDrive(try sketch.drive(on: ModelSource()))
  }
}
