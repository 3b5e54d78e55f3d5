extension Event {
  /// Parses a line with or without a time, such as `["set", "D2", 1]`. `path` is used in messages.
  package init(untimed line: [UInt8], path: String) throws(TraceError) {
    self = try JSONDocument(line, path: path).read { (scanner) throws(LineScanner.Failure) in
      var parser = EventParser(scanner.bytes)
      let event = try parser.parseUntimed()
      scanner.position = scanner.bytes.count
      return event
    }
  }
}
