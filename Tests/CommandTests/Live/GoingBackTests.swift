import Foundation
import TestSupport
import Testing

/// The key that rewinds a session.
@Suite(
  .ownThread,
  .enabled(
    if: Tool.isLinux && FileManager.default.isExecutableFile(atPath: "/usr/bin/setsid"),
    "setsid gives the shell a terminal of its own"))
struct GoingBackTests {
  @Test func `The key restores the earlier session, which continues from there`() async throws {
    let stage = try RunViewStage()
    try await stage.wait("the view") { stage.sees("90°") && stage.sees("b: 5 s back") }
    try stage.write("LX45.")
    try await stage.wait("the aim") { stage.sees("45°") && stage.sees("received  5 bytes") }
    // Pressed many times, because the beginning can be long ago on a busy computer.
    stage.terminal.press(String(repeating: "b", count: 25))
    try await stage.wait("the past") {
      stage.sees("Rewound to 0 s") && stage.sees("90°") && stage.sees("received  0 bytes")
        && !stage.sees("aimed at 45")
    }
    try stage.write("X135.")
    try await stage.wait("another aim") { stage.sees("135°") && stage.sees("received  5 bytes") }
    stage.terminal.press("\u{3}")
    #expect(try await stage.end() == 130)
    stage.expectRestored()
    #expect(stage.file("errors").contains("5 bytes received, 1 command, 2 servo events"))
  }

  @Test(arguments: [
    ("--record record.jsonl", "--record"), ("--expect expected.jsonl", "--expect"),
    ("--strict", "rules"),
  ])
  func `A session that is recorded or judged cannot be rewound`(_ options: String, _ name: String)
    async throws
  {
    let expected = Sample.inputs("guarded", #"[1.5, "rx", "X45."]"#, #"[1.51, "servo", 45, 1008]"#)
    let stage = try RunViewStage(options, aside: "cat >expected.jsonl <<'.'\n\(expected).\n")
    try await stage.wait("the view") { stage.sees("90°") }
    #expect(!stage.sees("5 s back"))
    stage.terminal.press("b")
    try await stage.wait("the refusal") { stage.sees("Rewinding is unavailable with \(name)") }
    stage.terminal.press("\u{3}")
    #expect(try await stage.end() == 130)
    stage.expectRestored()
  }
}
