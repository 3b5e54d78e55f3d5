import Devices
import Engine
import Judging
import Platform
import Sketches
import TestSupport
import Testing
import Traces

@testable import Sessions

/// What a session on a rig shows, and the trace of it that is written.
struct RigRunTests {
  private static let scene = """
    faces: [{path: [{sine: 20, period: 3s, for: 4s}, {step: 120, for: 2s}]}]
    camera: {delay: 60ms}
    aim: {mapping: fov}
    expect:
      - {track: 1°, for: 99%}
      - {settles: 1°, within: 10ms}
      - {servo: 119, within: 1ms, of: "X"}
    """

  private static func result(_ scene: String = scene) throws -> (result: RigResult, file: RigFile) {
    let files = try TestFolder()
    try files.write(scene, "scene.yaml")
    let run = RigRun(files.path("scene.yaml")) { _ in
      DeviceChoice(ModelSource(), firmware: nil, name: "model")
    }
    let file = try RigDocument(path: files.path("scene.yaml")).rig([])
    let choice = DeviceChoice(ModelSource(), firmware: nil, name: "model")
    return (try run.result(of: file, choice, keepsTrace: true), file)
  }

  @Test func `A row of a sweep is read as it is printed`() throws {
    let sweep = try RigSweep.parse("gain=0.5|1,camera.delay=60ms")
    var row = RigSweepRun.Row(values: ["0.5", "60ms"])
    row.figures = [("on_target", 0.951), ("error_95", 1.0 / 3)]
    (row.powerFailures, row.failedRules) = (2, 1)
    let text = RigSweepRun.json(row, of: sweep)
    let value = try JSONValue.contents(of: Array(text.utf8), path: "rows")
    let again = try #require(RigSweepRun.Row(value, of: sweep))
    #expect(again.values == row.values && again.figures.map { $0.0 } == ["on_target", "error_95"])
    #expect(again.figures.map { $0.1 } == row.figures.map { $0.1 })
    #expect((again.powerFailures, again.failedRules) == (2, 1))
    #expect(RigSweepRun.Row(value, of: try RigSweep.parse("gain=1")) == nil)
  }

  @Test(
    arguments: [
      ([0, 0, 0], [0, 2], "* None is better in "),
      ([1, 0, 0], [1, 2], "* Breaks no rule, and no "),
      ([1, 2, 0], [2], "* Breaks no rule, and no "),
      ([1, 1, 3], [], "Every row breaks a rule, so "),
    ] as [([Int], Set<Int>, String)])
  func `The star is that of the best rows that break no rule`(
    _ failed: [Int], _ best: Set<Int>, _ legend: String
  ) {
    // The first is better than the second in everything.
    let figures = [(1.0, 2.0), (1.5, 2.5), (3.0, 0.5)]
    let rows = zip(failed, figures).map { failed, figures in
      var row = RigSweepRun.Row(values: ["1"])
      row.failedRules = failed
      row.figures = [("error_95", figures.0), ("overshoot", figures.1)]
      return row
    }
    let front = RigSweepRun.front(of: rows)
    #expect(front == best && RigSweepRun.legend(rows, front).hasPrefix(legend))
  }

  @Test func `The text and the JSON of a session state the same share of the time`() throws {
    let (result, file) = try Self.result()
    let share = try #require(result.values.first { $0.0 == "on_target" }).1
    let thousandths = Int((share * 1_000).rounded())
    #expect(
      result.lines(of: file, "model").contains(
        "within 3° for \(thousandths / 10).\(thousandths % 10) % of the time"))
    #expect(result.json.contains(#""on_target": \#(String(shortest: share)), "#))
  }

  @Test(arguments: [
    #"{"gain": "1", "error_95": 1e999, "power_failures": 0, "rules_failed": 0}"#,
    #"{"gain": "1", "error_95": 1, "rules_failed": 0}"#,
    #"{"gain": "1", "error_95": 1, "power_failures": 0}"#,
    #"{"gain": "1", "error_95": 1, "power_failures": 0.5, "rules_failed": 0}"#,
    #"{"gain": "1", "error_95": 1, "power_failures": 0, "rules_failed": -1}"#,
  ])
  func `A row with a number that no session has is refused`(_ text: String) throws {
    let value = try JSONValue.contents(of: Array(text.utf8), path: "rows")
    #expect(RigSweepRun.Row(value, of: try RigSweep.parse("gain=1")) == nil)
  }

  /// The error for a file with these rows of a sweep.
  private static func refusal(_ rows: String) throws -> String {
    let files = try TestFolder()
    try files.write(scene, "scene.yaml")
    try files.write(rows, "rows.jsonl")
    var run = RigRun(files.path("scene.yaml")) { _ in
      DeviceChoice(ModelSource(), firmware: nil, name: "model")
    }
    run.sweep = try RigSweep.parse("gain=0.5|1")
    run.rows = files.path("rows.jsonl")
    do {
      try run.run()
      return ""
    } catch let failure as Failure {
      return failure.message
    } catch {
      return "\(error)"
    }
  }

  @Test func `An error in a file with rows states the line`() throws {
    let row = #"{"gain": "1", "error_95": 1, "power_failures": 0, "rules_failed": 0}"#
    let other = #"{"gain": "1", "error_95": 2, "power_failures": 0, "rules_failed": 0}"#
    #expect(try Self.refusal("\(row)\n\n{}\n").contains("rows.jsonl:3:1: error: expected a row"))
    #expect(try Self.refusal("\(row)\n\nrow\n").contains("rows.jsonl:3:1: error: "))
    #expect(
      try Self.refusal("\(row)\n\n\(other)\n").contains(
        "rows.jsonl:3:1: error: another row with gain=1 differs"))
    // The same row twice is the same row.
    let missing = "rows.jsonl: error: expected a row with gain=0.5"
    #expect(try Self.refusal("\(row)\n\(row)\n").contains(missing))
  }

  @Test func `The trace gives the same figures, and its rules fail in the same words`() throws {
    let (result, file) = try Self.result("supply: usb\n" + Self.scene)
    var reader = try TraceReader(text: result.text, path: "trace")
    var record = TrackingRecord()
    var commands = 0
    while let event = try reader.next() {
      record.take(event)
      if case .receive = event.kind { commands += 1 }
    }
    let end = try #require(reader.header.end)
    #expect(record.figures(at: end, commands: commands) == result.figures)
    var again = try TraceReader(text: result.text, path: "trace")
    let report = try RuleReport(file.rules, &again) { (path) throws(TraceError) in
      try TraceReader(path: path)
    }
    #expect(report.text == result.report?.text)
  }

  @Test func `A servo to which the model sends no pulse is refused where it is stated`() throws {
    let failure = #expect(throws: Failure.self) {
      try Self.result("servos:\n  D10: sg90\n" + Self.scene)
    }
    #expect(
      failure?.message.contains("scene.yaml:2:3: error: the model of a sketch drives") == true)
  }

  @Test func `A servo that tilts is refused on the model, where it is stated`() throws {
    let failure = #expect(throws: Failure.self) { try Self.result("tilt: D10\n" + Self.scene) }
    #expect(
      failure?.message.contains("scene.yaml:1:7: error: the model of a sketch drives") == true)
  }

  @Test func `The figures of a turret that tilts are those of both axes and of each`() throws {
    var record = TrackingRecord()
    let tilt = try #require(BoardPin(arduino: 10))
    for pin in [nil, tilt] {
      record.take(Event(.zero, .truth(90, on: pin)))
      record.take(Event(.zero, .shaft(pin == nil ? 90 : 95, on: pin)))
    }
    var result = RigResult()
    result.figures = record.figures(at: .zero + .seconds(10), commands: 1)
    let rows = try #require(result.figures).rows
    #expect(
      rows.map { $0.name } == [
        "on target", "pan error", "pan at rest", "pan wear", "tilt error", "tilt at rest",
        "tilt wear",
      ])
    #expect(rows[0].text == "within 3° for 0.0 % of the time; pan 100.0 %, tilt 0.0 %")
    // The names fit into their column.
    #expect(rows.allSatisfy { $0.name.count < 18 })
    let values = Dictionary(uniqueKeysWithValues: result.values)
    #expect(values["mean_error"] == 5 && values["pan_mean_error"] == 0)
    #expect(values["tilt_mean_error"] == 5 && values["tilt_on_target"] == 0)
    #expect(values["commands_per_second"] == 0.1 && values["pan_commands_per_second"] == nil)
  }

  @Test func `The lines of a broken rule are those of the trace`() throws {
    let result = try Self.result().result
    let lines = String(decoding: result.text, as: UTF8.self).split(separator: "\n")
    let shown = try #require(result.report).failures.flatMap { $0.events }
    #expect(shown.count > 5)
    for event in shown {
      var text: [UInt8] = []
      text.appendLine(event.event)
      #expect(lines[try #require(event.line) - 1] + "\n" == String(decoding: text, as: UTF8.self))
    }
  }
}
