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
  case interceptty
  case jpnevulator
  case ser2net
  case slsnif
  case portmon
  case serialPortMonitor = "serial-port-monitor"
  // These are recognized, and refused with advice on what to use instead.
  case tio
  case grabserial
  case ts
  case arduinoMonitor = "arduino-monitor"
  case saleaeSession = "saleae-sal"
}
