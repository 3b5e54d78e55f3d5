import Sketches
import Traces

/// What a sender must do with the classic sketch: a row of the table in traces/README.md, as a
/// session of a few seconds that a user can change.
struct Lesson: Sendable {
  let happens: String
  /// What a sender does about it.
  let sender: String
  /// The inputs, each one line of a trace.
  let inputs: [String]

  init(_ happens: String, _ sender: String, _ inputs: [String]) {
    self.happens = happens
    self.sender = sender
    self.inputs = inputs
  }

  /// The session as a trace.
  var trace: String {
    var text: [UInt8] = []
    text.appendLine(Header(firmware: .classic, duration: .seconds(length), title: nil))
    for input in inputs { text.append(input + "\n") }
    return String(decoding: text, as: UTF8.self)
  }

  /// In seconds: two to three more than the time of the last input.
  private var length: Int64 {
    let last = inputs.last?.dropFirst().prefix { $0 != "." && $0 != "," } ?? "0"
    return (Int64(last) ?? 0) + 3
  }

  /// All of them, as JSON.
  static var list: [UInt8] {
    let rows = all.map { lesson in
      var json = JSONText()
      json.add("happens", lesson.happens)
      json.add("sender", lesson.sender)
      json.add("trace", lesson.trace)
      return json.value
    }
    return Array(JSONValue.array(rows).text.utf8)
  }
}

extension Lesson {
  /// In the order of traces/README.md.
  static let all = [
    Lesson(
      "A number without an end blocks the sketch forever",
      "sends whole commands; if it stopped within one, it sends `.` before anything else",
      [
        #"[1.5, "rx", "X90."]"#, #"[2.0, "rx", "X12"]"#, #"[4.5, "rx", "."]"#,
        #"[5.0, "rx", "X45."]"#,
      ]),
    Lesson(
      "A three-digit angle that is cut to four bytes (`X120`) takes effect one command late and "
        + "swallows the first byte of that command",
      "has a buffer of at least five bytes for `X180.` and sends all of it",
      [
        #"[1.5, "rx", "X90."]"#, #"[1.7, "rx", "X100"]"#, #"[1.9, "rx", "X110."]"#,
        #"[2.4, "rx", "X45."]"#,
      ]),
    Lesson(
      "Numbers wrap at 65 536: `X65546.` aims at 10",
      "clamps angles to 0..180 itself, before formatting them",
      [
        #"[1.5, "rx", "X90."]"#, #"[2.0, "rx", "X65546."]"#, #"[2.5, "rx", "X181."]"#,
        #"[3.0, "rx", "X180."]"#,
      ]),
    Lesson(
      "A number without digits is 0: `X.`, `XL` and `X-5.` turn the servo to 0",
      "sends no sign, no space, no empty number",
      [
        #"[1.5, "rx", "X90."]"#, #"[2.0, "rx", "X."]"#, #"[2.5, "rx", "X90."]"#,
        #"[3.0, "rx", "X-5."]"#,
      ]),
    Lesson(
      "Any byte except a digit and 0xFF ends a number and is lost: in `XL` the `L` has no effect",
      "ends every number with `.`",
      [#"[1.5, "rx", "X90."]"#, #"[2.0, "rx", "X120L"]"#, #"[3.5, "rx", "L"]"#]),
    Lesson(
      "Junk, including CR and LF, stops a sweep",
      "sends no line ends and nothing but commands",
      [#"[1.5, "rx", "L"]"#, #"[2.5, "rx", "\r\n"]"#, #"[3.5, "rx", "L"]"#]),
    Lesson(
      "Junk discards every command that waits after it",
      "does the same, and does not rely on line ends being harmless on an idle board "
        + "(`classic/crlf-sender`)",
      [#"[0.2, "rx", "\nX45.X135."]"#, #"[2.0, "rx", "X45."]"#, #"[2.5, "rx", "X135."]"#]),
    Lesson(
      "An `L` during a sweep restarts it upwards: if `L` is sent often, the sweep never descends",
      "sends `L` once, when the target is lost",
      [
        #"[1.5, "rx", "L"]"#, #"[2.0, "rx", "L"]"#, #"[2.5, "rx", "L"]"#, #"[3.0, "rx", "L"]"#,
        #"[3.5, "rx", "L"]"#, #"[4.0, "rx", "L"]"#, #"[7.0, "rx", "X90."]"#,
      ]),
    Lesson(
      "For a second after power-on the sketch reads nothing; 63 bytes wait and the rest is lost, "
        + "perhaps in the middle of a number",
      "waits a second, or sends few commands",
      [
        #"[0.1, "rx", "X10.X20.X30.X40.X50.X60.X70.X80."]"#,
        #"[0.3, "rx", "X90.X100.X110.X120.X130.X140.X150."]"#, #"[2.0, "rx", "X90."]"#,
      ]),
    Lesson(
      "Opening the port resets the board: the bootloader discards a second of bytes, and the "
        + "start-up takes another second",
      "opens the port once, keeps it open, and waits a little more than two seconds",
      [
        #"[0.5, "reset", 1]"#, #"[1.0, "rx", "X45."]"#, #"[2.0, "rx", "X135."]"#,
        #"[3.5, "rx", "X60."]"#,
      ]),
    Lesson(
      "A wrong speed is not detected: other bytes arrive and take effect",
      "sets 9600 baud, 8N1",
      [
        #"[1.5, "rx", "X90."]"#, #"[2.0, "baud", 4800]"#, #"[2.1, "rx", "X45."]"#,
        #"[3.0, "baud", 9600]"#, #"[3.1, "rx", "X45."]"#,
      ]),
    Lesson(
      "During a sweep, a command takes effect up to 15 ms late, and several take effect at once",
      "expects no better timing",
      [#"[1.5, "rx", "L"]"#, #"[2.5, "rx", "X60.X120."]"#]),
  ]
}
