import Traces

/// A file that was dropped on the page: a trace, or another tool's recording converted to one.
struct DroppedFile: Sendable {
  let name: String
  let text: [UInt8]
  /// What kind of file it is.
  let kind: String
  /// What was assumed in converting a recording, one sentence each; empty for a trace.
  let notes: [String]

  init(_ text: [UInt8], name: String) {
    self.name = PlainText.of(name, upTo: 200)
    self.text = text
    kind = "trace"
    notes = []
  }

  /// Parses what `Converter` made of a recording: its kind and the notes, one in each line, an
  /// empty line, and the trace.
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
