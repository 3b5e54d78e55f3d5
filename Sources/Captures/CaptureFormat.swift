/// A kind of recording: how it is recognized, and how it is opened.
struct CaptureFormat {
  /// Looks at the beginning of a file.
  let recognize: (CaptureHead) -> Recognition
  /// Examines one or more files of this kind.
  let open: ([CaptureFile], CaptureOptions, Inflation?) throws(CaptureError) -> Capture

  /// Creates a kind for which a tool writes one file for each channel.
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

  /// Creates a kind that is one file with compressed parts.
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

  /// Creates a kind that is one file.
  init(
    _ recognize: @escaping (CaptureHead) -> Recognition,
    file open: @escaping (CaptureFile, CaptureOptions) throws(CaptureError) -> Capture
  ) {
    self.init(recognize) { (file, options, _: Inflation?) throws(CaptureError) in
      try open(file, options)
    }
  }

  /// Creates a kind that cannot contain a session. `refusal` explains what to use instead.
  init(_ recognize: @escaping (CaptureHead) -> Recognition, refusal: String) {
    self.recognize = recognize
    open = { (_, _, _) throws(CaptureError) in throw CaptureError(.malformed, refusal) }
  }
}

extension CaptureKind {
  /// The table of formats, with one line for each kind.
  var format: CaptureFormat {
    switch self {
    case .sr: SigrokArchive.format
    case .vcd: ValueChangeDump.format
    case .sigrokCSV: SigrokTable.sigrok
    case .dsviewCSV: SigrokTable.dsview
    case .saleaeDigitalCSV: SaleaeTable.format
    case .saleaeBinary: SaleaeBinary.format
    case .saleaeTable: .init(SaleaeTableLog.self) { $0.recognitionByFirstLine($1) }
    case .saleaeAsync: .init(SaleaeAsyncLog.self) { $0.recognitionByFirstLine($1) }
    case .socat: .init(SocatLog.self) { $0.recognitionByAnyLine($1) }
    case .strace: .init(StraceLog.self) { $0.recognitionByMostLines($1) }
    case .usbmon: .init(UsbmonLog.recognize, log: UsbmonLog.self)
    case .pyserialSpy: .init(PyserialSpyLog.self) { $0.recognitionByAnyLine($1) }
    case .interceptty: .init(InterceptTTYLog.self) { $0.recognitionByMostLines($1) }
    case .jpnevulator: .init(JpnevulatorLog.self) { $0.recognitionByAnyLine($1) }
    case .ser2net: .init(Ser2netLog.self) { $0.recognitionByAnyLine($1) }
    case .slsnif: .init(SlsnifLog.self) { $0.recognitionByAnyLine($1) }
    case .portmon: .init(PortmonLog.self) { $0.recognitionByAnyLine($1) }
    case .serialPortMonitor: .init(SerialPortMonitorLog.self) { $0.recognitionByAnyLine($1) }
    case .tio: .init(refused: UnusableLogs.isTio, UnusableLogs.tio)
    case .grabserial: .init(refused: UnusableLogs.isGrabserial, UnusableLogs.grabserial)
    case .ts: .init(UnusableLogs.isStamped, refusal: UnusableLogs.ts)
    case .arduinoMonitor: .init(refused: UnusableLogs.isArduinoMonitor, UnusableLogs.arduinoMonitor)
    case .saleaeSession: .init(UnusableLogs.isSaleaeSession, refusal: UnusableLogs.saleaeSession)
    }
  }
}
