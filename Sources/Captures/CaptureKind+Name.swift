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
    case .interceptty: "an interceptty log"
    case .jpnevulator: "a jpnevulator log"
    case .ser2net: "a ser2net trace"
    case .slsnif: "an slsnif log"
    case .portmon: "a Portmon log"
    case .serialPortMonitor: "a Serial Port Monitor log"
    case .tio: "a tio log"
    case .grabserial: "a grabserial log"
    case .ts: "a log stamped by ts"
    case .arduinoMonitor: "a log of Arduino's serial monitor"
    case .saleaeSession: "a Saleae session"
    }
  }
}
