import Foundation
import Pages
import TestSupport
import Testing

/// The aiming of the phone's page, which is compiled from the same source, with recorded
/// observations.
@Suite("The phone's page", .ownThread) struct PhonePageTests {
  private static let root = URL(filePath: #filePath).appending(path: "../../../..").standardized
  private static let recordings = [
    "examples/seen.jsonl", "Tests/CommandTests/Aim/Observations/camera-face.jsonl",
    "Tests/CommandTests/Aim/Observations/camera-strips.jsonl",
  ]
  private static let options: [([String], String)] = [
    ([], "{}"),
    (["--mirror", "--stick", "1.2"], #"{"mirror": true, "stick": 1.2}"#),
    (
      ["--gravity", "aspect-fill", "--min-confidence", "0.5"],
      #"{"gravity": "aspect-fill", "min-confidence": 0.5}"#
    ),
    (
      ["--max-overlap", "0.3", "--min-height", "0.05"], #"{"max-overlap": 0.3, "min-height": 0.05}"#
    ),
  ]

  @Test(arguments: recordings, options)
  func `It sends what aim prints`(_ recording: String, _ options: ([String], String)) throws {
    let path = Self.root.appending(path: recording).path
    let outcome = try Bench().run(["aim", path, "--to", "-"] + options.0)
    #expect(outcome.status == 0)
    let printed = outcome.lines.dropFirst().map(String.init)
    #expect(printed.count > 10)
    #expect(try Self.sent(String(contentsOfFile: path, encoding: .utf8), options.1) == printed)
  }

  /// Returns the page's commands as events of a trace, at the times of their frames.
  private static func sent(_ observations: String, _ options: String) throws -> [String] {
    let lines = observations.split(separator: "\n")
    var aim = PhoneAim()
    #expect(aim.answer(Array("camera \(options)\n\(lines[0])".utf8)) == PageAnswer(.result, []))
    var events: [String] = []
    for line in lines.dropFirst() {
      let time = try #require(try object(Array(line.utf8))["t"] as? Double)
      let answer = aim.answer(Array("see 0 0\n\(line)".utf8))
      #expect(answer.kind == .result)
      let sighting = try object(answer.bytes)["sighting"] as? [String: Any]
      guard let command = try #require(sighting)["command"] as? String else { continue }
      events.append("[\(String(format: "%.6f", time)), \"rx\", \"\(command)\"]")
    }
    return events
  }

  private static func object(_ bytes: [UInt8]) throws -> [String: Any] {
    try #require(try JSONSerialization.jsonObject(with: Data(bytes)) as? [String: Any])
  }
}
