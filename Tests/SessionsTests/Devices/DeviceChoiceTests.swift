import Devices
import Sketches
import Testing
import Traces

@testable import Sessions

@Suite("The device that a command line selects")
struct DeviceChoiceTests {
  /// A header's firmware, the one that is requested, and the source's name.
  static let cases: [(header: String, asked: Firmware?, source: String)] = [
    ("guarded", nil, "model"), ("classic", nil, "model"), ("pan-tilt", nil, "trace"),
    ("pan-tilt", .guarded, "model"),
  ]

  @Test("A sketch that no model behaves as is shown by its own trace", arguments: cases)
  func source(header: String, asked: Firmware?, source: String) throws {
    let text =
      #"{"format": "sentry-trace", "version": 1, "firmware": "\#(header)", "board": "uno", "#
      + #""baud": 9600}"# + "\n"
    let reader = try TraceReader(text: Array(text.utf8), path: "a.jsonl")
    let choice = DeviceChoice(ModelSource(), firmware: asked, name: "model")
    #expect((choice.shown(for: reader.header) is SilentSource) == (source == "trace"))
    #expect(choice.sketch(of: reader.header) == (source == "trace" ? header : nil))
  }
}
