extension Event {
  /// The event as in a trace, with at least six decimal places in its time.
  package var json: JSONValue {
    var line: [UInt8] = []
    line.appendLine(self)
    guard case .array(var items)? = try? JSONValue.contents(of: line, path: "event") else {
      return .null
    }
    items[0] = .number(String(canonical: time))
    return .array(items)
  }
}
