extension CaptureFormat {
  /// A log, recognized by its beginning.
  init<Reader: LogReader>(
    _ recognize: @escaping (CaptureHead) -> Recognition, log: Reader.Type
  ) {
    self.init(
      recognize,
      files: { (files, options) throws(CaptureError) in
        try Capture(log: log, files, options)
      })
  }

  /// A log of lines that its reader recognizes.
  init<Reader: RecognizedLog>(
    _ reader: Reader.Type,
    _ recognize:
      @escaping (CaptureHead, (UnsafeRawBufferPointer) -> Bool) -> Recognition
  ) {
    self.init({ recognize($0, Reader.recognizes) }, log: reader)
  }

  /// A log that cannot carry a session, recognized by most of its lines.
  init(refused isMatch: @escaping (UnsafeRawBufferPointer) -> Bool, _ refusal: String) {
    self.init({ $0.recognitionByMostLines(isMatch) }, refusal: refusal)
  }
}
