import Traces

extension Event {
  /// The event as in a trace.
  package var line: String {
    var line: [UInt8] = []
    line.appendLine(self)
    if line.last == 0x0A { line.removeLast() }
    return String(decoding: line, as: UTF8.self)
  }
}
