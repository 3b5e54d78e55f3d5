/// Observations to aim at.
enum Seen {
  static let header =
    #"{"format": "sentry-observations", "version": 1, "image": [1000, 1000], "fov": 60}"#

  static let traceHeader =
    #"{"format": "sentry-trace", "version": 1, "firmware": "guarded", "board": "uno", "baud": 9600, "source": "sentrybench, aim"}"#

  static func file(_ frames: String..., header: String = header) -> String {
    file(frames, header: header)
  }

  static func file(_ frames: [String], header: String = header) -> String {
    ([header] + frames).map { $0 + "\n" }.joined()
  }

  static func frame(_ time: String, _ found: String...) -> String {
    #"{"t": \#(time), "found": [\#(found.joined(separator: ", "))]}"#
  }

  /// Returns a square face with this side, centred at `x`.
  static func face(_ x: Double, _ side: Double = 0.125, confidence: Double = 1) -> String {
    thing("face", x, side, confidence: confidence)
  }

  static func thing(
    _ kind: String, _ x: Double, _ side: Double = 0.125, confidence: Double = 1, more: String = ""
  ) -> String {
    #"{"kind": "\#(kind)", "box": [\#(x - side / 2), \#(0.5 - side / 2), \#(side), \#(side)], "#
      + #""confidence": \#(confidence)\#(more)}"#
  }

  /// Returns the output for these commands.
  static func trace(_ events: (String, String)...) -> String {
    traceHeader + "\n" + events.map { "[\($0.0), \"rx\", \"\($0.1)\"]\n" }.joined()
  }
}
