import Traces
import Turret

/// What a sender must do with the classic sketch: a row of the table in traces/README.md, as a
/// session of a few seconds that a user can change.
struct Lesson: Sendable {
  /// What happens.
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
