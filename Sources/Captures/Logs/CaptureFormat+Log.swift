extension CaptureFormat {
  /// Creates the format of a log that is recognized by its beginning.
  init<Reader: LogReader>(
    _ recognize: @escaping (CaptureHead) -> Recognition, log: Reader.Type
  ) {
    self.init(
      recognize,
      files: { (files, options) throws(CaptureError) in
        try Capture(log: Reader.self, files, options)
      })
  }

  /// Creates the format of a log whose reader recognizes its lines.
  init<Reader: RecognizedLog>(
    _ reader: Reader.Type,
    _ recognize:
      @escaping (CaptureHead, (UnsafeRawBufferPointer) -> Bool) -> Recognition
  ) {
    self.init({ recognize($0, Reader.recognizes) }, log: Reader.self)
  }

  /// Creates the format of a log that cannot contain a session and is recognized by most of its
  /// lines.
  init(refused isMatch: @escaping (UnsafeRawBufferPointer) -> Bool, _ refusal: String) {
    self.init({ $0.recognitionByMostLines(isMatch) }, refusal: refusal)
  }
}
