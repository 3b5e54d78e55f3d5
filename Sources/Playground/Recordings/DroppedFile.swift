import Traces

/// A file that was dropped on the page: a trace, or another tool's recording as the trace that it
/// becomes.
struct DroppedFile: Sendable {
  let name: String
  /// The trace.
  let text: [UInt8]
  /// What kind of file it is.
  let kind: String
  /// What was assumed to convert a recording, a sentence each; empty for a trace.
  let notes: [String]

  /// A trace.
  init(_ text: [UInt8], name: String) {
    self.name = PlainText.of(name, upTo: 200)
    self.text = text
    kind = "trace"
    notes = []
  }

  /// What `Converter` made of a recording: its kind and the notes, a line each, an empty line, and
  /// the trace.
  init(converted bytes: [UInt8], name: String) {
    self.name = PlainText.of(name, upTo: 200)
    var lines: [String] = []
    var rest = bytes[...]
    while !rest.isEmpty {
      let line = rest.prefix { $0 != 0x0A }
      rest = rest.dropFirst(line.count + 1)
      if line.isEmpty { break }
      lines.append(String(decoding: line, as: UTF8.self))
    }
    kind = lines.first ?? ""
    notes = Array(lines.dropFirst())
    text = Array(rest)
  }
}
