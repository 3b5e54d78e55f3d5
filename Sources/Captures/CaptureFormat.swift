/// A kind of recording: how it is recognized, and how it is opened.
struct CaptureFormat {
  /// Looks at the beginning of a file.
  let recognize: (CaptureHead) -> Recognition
  /// Examines files of this kind; at least one is given.
  let open: ([CaptureFile], CaptureOptions, Inflation?) throws(CaptureError) -> Capture

  /// A kind of which a tool writes one file for each channel.
  init(
    _ recognize: @escaping (CaptureHead) -> Recognition,
    files open:
      @escaping (
        [CaptureFile], CaptureOptions
      ) throws(CaptureError) -> Capture
  ) {
    self.recognize = recognize
    self.open = { (files, options, _) throws(CaptureError) in try open(files, options) }
  }

  /// A kind that is one file with compressed parts.
  init(
    _ recognize: @escaping (CaptureHead) -> Recognition,
    archive open:
      @escaping (
        CaptureFile, CaptureOptions, Inflation?
      ) throws(CaptureError) -> Capture
  ) {
    self.recognize = recognize
    self.open = { (files, options, inflate) throws(CaptureError) in
      guard files.count == 1 else {
        throw CaptureError(
          .usage, "expected one file, found \(files.count); this kind of recording is one file")
      }
      return try open(files[0], options, inflate)
    }
  }

  /// A kind that is one file.
  init(
    _ recognize: @escaping (CaptureHead) -> Recognition,
    file open: @escaping (CaptureFile, CaptureOptions) throws(CaptureError) -> Capture
  ) {
    self.init(recognize) { (file, options, _: Inflation?) throws(CaptureError) in
      try open(file, options)
    }
  }

  /// A kind that cannot carry a session. The reason says what to use instead.
  init(_ recognize: @escaping (CaptureHead) -> Recognition, refusal: String) {
    self.recognize = recognize
    open = { (_, _, _) throws(CaptureError) in throw CaptureError(.malformed, refusal) }
  }
}

extension CaptureKind {
  /// The table of formats, with one line for each kind; nil for a kind that cannot be read yet.
  var format: CaptureFormat? {
    switch self {
    case .sr, .vcd, .sigrokCSV, .dsviewCSV, .saleaeDigitalCSV, .saleaeBinary: nil
    case .saleaeTable, .saleaeAsync: nil
    case .socat, .strace, .usbmon, .pyserialSpy, .interceptty, .jpnevulator, .ser2net: nil
    case .slsnif, .portmon, .serialPortMonitor: nil
    case .tio, .grabserial, .ts, .arduinoMonitor, .saleaeSession: nil
    }
  }
}
