extension LineSource {
  /// Returns the next line, like `next`. `number` is that of the line; errors are those of a trace.
  package mutating func next(
    number: Int, path: String
  ) throws(TraceError) -> UnsafeRawBufferPointer? {
    do throws(Failure) {
      return try next()
    } catch {
      throw TraceError(error, path: path, line: number)
    }
  }
}

extension TraceError {
  /// Creates the error for a failure at the start of a line.
  package init(_ failure: LineSource.Failure, path: String, line: Int) {
    switch failure {
    case .reading(let error): self = error
    case .lineTooLong:
      self.init(
        .malformed, path: path, line: line, column: LineSource.lineLengthMax,
        "expected the line's end within \(LineSource.lineLengthMax >> 20) MiB")
    }
  }

  /// Creates the error for a failure within a line. `endsWithoutNewline` is whether it is the last
  /// line and has no newline.
  package init(
    _ failure: LineScanner.Failure, path: String, line: Int, endsWithoutNewline: Bool
  ) {
    var message = failure.message
    if endsWithoutNewline {
      message += "; the file ends in the middle of a line, like a recording that was cut off: "
      message += "without that line it can be used"
    }
    self.init(.malformed, path: path, line: line, column: failure.offset + 1, message)
  }
}
