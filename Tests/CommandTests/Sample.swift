/// Traces for tests.
enum Sample {
  static let header =
    #"{"format": "sentry-trace", "version": 1, "firmware": "classic", "board": "uno", "baud": 9600, "duration": 2}"#

  static let good = """
    \(header)
    [0.000197, "servo", 90, 1472]
    [1.500000, "rx", "X45."]
    [1.504224, "servo", 45, 1008]

    """

  /// Disagrees in its fourth line.
  static let bad = good.replacing("45, 1008", with: "46, 1018")

  /// Late by a millisecond.
  static let late = good.replacing("1.504224", with: "1.505224")

  /// Malformed: no JSON in line 3.
  static let broken = "\(header)\n[0.000197, \"servo\", 90, 1472]\nhello\n"

  /// Returns a trace with these inputs for a firmware.
  static func inputs(_ firmware: String, duration: String = "3", _ events: String...) -> String {
    #"{"format": "sentry-trace", "version": 1, "firmware": "\#(firmware)", "duration": \#(duration)}"#
      + "\n" + events.map { $0 + "\n" }.joined()
  }
}
