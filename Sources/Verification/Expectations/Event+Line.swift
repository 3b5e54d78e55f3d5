import Traces

extension Event {
  /// The event as a line of a trace, without the line feed.
  package var line: String {
    var line: [UInt8] = []
    line.appendLine(self)
    if line.last == 0x0A { line.removeLast() }
    return String(decoding: line, as: UTF8.self)
  }
}
