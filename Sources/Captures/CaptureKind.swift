/// A kind of recording. Its raw value is what `--from` accepts.
package enum CaptureKind: String, Hashable, Sendable, CaseIterable {
  case sr
  case vcd
  case sigrokCSV = "sigrok-csv"
  case dsviewCSV = "dsview-csv"
  case saleaeDigitalCSV = "saleae-digital-csv"
  case saleaeTable = "saleae-table"
  case saleaeAsync = "saleae-logic1-async"
  case saleaeBinary = "saleae-bin"
  case socat
  case strace
  case usbmon
  case pyserialSpy = "pyserial-spy"
  case jpnevulator
  case ser2net
  case portmon
  case serialPortMonitor = "serial-port-monitor"
  case iphoneApp = "iphone-app"
  // These are recognized, and refused with advice on what to use instead.
  case interceptty
  case slsnif
  case tio
  case grabserial
  case ts
  case arduinoMonitor = "arduino-monitor"
  case saleaeSession = "saleae-sal"
}

extension CaptureKind {
  /// The name of such a recording in a message, with its article.
  package var name: String {
    switch self {
    case .sr: "a sigrok session"
    case .vcd: "a VCD file"
    case .sigrokCSV: "a sigrok CSV file"
    case .dsviewCSV: "a DSView CSV file"
    case .saleaeDigitalCSV: "a Saleae CSV file of digital channels"
    case .saleaeTable: "a Saleae data table"
    case .saleaeAsync: "a Saleae Logic 1 export of async serial"
    case .saleaeBinary: "a Saleae binary export"
    case .socat: "a socat log"
    case .strace: "an strace log"
    case .usbmon: "a USB capture"
    case .pyserialSpy: "a pyserial spy log"
    case .jpnevulator: "a jpnevulator log"
    case .ser2net: "a ser2net trace"
    case .portmon: "a Portmon log"
    case .serialPortMonitor: "a Serial Port Monitor log"
    case .iphoneApp: "the log of an iPhone's app"
    case .interceptty: "an interceptty log"
    case .slsnif: "an slsnif log"
    case .tio: "a tio log"
    case .grabserial: "a grabserial log"
    case .ts: "a log stamped by ts"
    case .arduinoMonitor: "a log of Arduino's serial monitor"
    case .saleaeSession: "a Saleae session"
    }
  }
}

/// A kind of recording: how it is recognized, and how it is opened.
struct CaptureFormat {
  /// Looks at the beginning of a file.
  let recognize: (CaptureHead) -> Recognition
  /// Examines one or more files of this kind.
  let open: ([CaptureFile], CaptureOptions, Inflation?) throws(CaptureError) -> Capture

  /// Creates a kind for which a tool writes one file for each channel.
  init(
    _ recognize: @escaping (CaptureHead) -> Recognition,
    files open: @escaping ([CaptureFile], CaptureOptions) throws(CaptureError) -> Capture
  ) {
    self.recognize = recognize
    self.open = { (files, options, _) throws(CaptureError) in try open(files, options) }
  }

  /// Creates a kind that is one file, perhaps with compressed parts.
  init(
    _ recognize: @escaping (CaptureHead) -> Recognition,
    file open:
      @escaping (CaptureFile, CaptureOptions, Inflation?) throws(CaptureError) -> Capture
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

  /// Creates a kind that is not read. `refusal` explains what to use instead.
  init(_ recognize: @escaping (CaptureHead) -> Recognition, refusal: String) {
    self.recognize = recognize
    open = { (_, _, _) throws(CaptureError) in throw CaptureError(refusal) }
  }
}

extension CaptureKind {
  /// The table of formats, with one line for each kind.
  var format: CaptureFormat {
    switch self {
    case .sr: SigrokArchive.format
    case .vcd: ValueChangeDump.format
    case .sigrokCSV: SigrokTable.format(.sigrokCSV)
    case .dsviewCSV: SigrokTable.format(.dsviewCSV)
    case .saleaeDigitalCSV: SaleaeTable.format
    case .saleaeBinary: SaleaeBinary.format
    case .saleaeTable: .init(SaleaeTableLog.self)
    case .saleaeAsync: .init(SaleaeAsyncLog.self)
    case .socat: .init(SocatLog.self)
    case .strace: .init(StraceLog.self)
    case .usbmon: .init(UsbmonLog.self)
    case .pyserialSpy: .init(PyserialSpyLog.self)
    case .jpnevulator: .init(JpnevulatorLog.self)
    case .ser2net: .init(Ser2netLog.self)
    case .portmon: .init(PortmonLog.self)
    case .serialPortMonitor: .init(SerialPortMonitorLog.self)
    case .iphoneApp: .init(IPhoneAppLog.self)
    case .interceptty: .init(refused: UnusableLogs.isInterceptTTY, UnusableLogs.interceptTTY)
    case .slsnif: .init(UnusableLogs.isSlsnif, refusal: UnusableLogs.slsnif)
    case .tio: .init(refused: UnusableLogs.isTio, UnusableLogs.tio)
    case .grabserial: .init(refused: UnusableLogs.isGrabserial, UnusableLogs.grabserial)
    case .ts: .init(UnusableLogs.isStamped, refusal: UnusableLogs.ts)
    case .arduinoMonitor: .init(refused: UnusableLogs.isArduinoMonitor, UnusableLogs.arduinoMonitor)
    case .saleaeSession: .init(UnusableLogs.isSaleaeSession, refusal: UnusableLogs.saleaeSession)
    }
  }
}

/// How surely the beginning of a file shows a kind of recording.
package enum Recognition: Hashable, Sendable {
  /// It is something else.
  case no
  /// It could be this kind, but other kinds look the same.
  case possible
  /// Nothing else begins like this.
  case certain
}
