import CSerialPort
import SystemPackage

/// The properties of a serial port that are known without opening it.
package struct PortInfo: Hashable, Sendable {
  package enum Transport: String, Hashable, Sendable {
    case native, usb, bluetooth
  }

  package var path: String
  package var transport: Transport?
  /// The USB vendor and product; nil if the port is not on USB.
  package var vendor: UInt16?
  package var product: UInt16?
  /// The USB device's strings, if it has any.
  package var serialNumber: String?
  package var manufacturerName: String?
  package var productName: String?
  package var description: String?

  init(_ port: OpaquePointer) {
    func text(_ characters: UnsafeMutablePointer<CChar>?) -> String? {
      guard let characters else { return nil }
      let text = String(cString: characters)
      return text.isEmpty ? nil : text
    }
    path = text(sp_get_port_name(port)) ?? ""
    description = text(sp_get_port_description(port))
    switch sp_get_port_transport(port) {
    case SP_TRANSPORT_NATIVE: transport = .native
    case SP_TRANSPORT_USB: transport = .usb
    case SP_TRANSPORT_BLUETOOTH: transport = .bluetooth
    default: transport = nil
    }
    var (vendor, product): (CInt, CInt) = (0, 0)
    if sp_get_port_usb_vid_pid(port, &vendor, &product) == SP_OK {
      self.vendor = UInt16(truncatingIfNeeded: vendor)
      self.product = UInt16(truncatingIfNeeded: product)
    }
    serialNumber = text(sp_get_port_usb_serial(port))
    manufacturerName = text(sp_get_port_usb_manufacturer(port))
    productName = text(sp_get_port_usb_product(port))
  }

  /// Returns the properties of the port at a path, after resolving symbolic links; nil if
  /// libserialport does not know it.
  package static func find(_ path: String) -> PortInfo? {
    var port: OpaquePointer?
    guard sp_get_port_by_name(PortSystem.resolve(path) ?? path, &port) == SP_OK, let port else {
      return nil
    }
    defer { sp_free_port(port) }
    return PortInfo(port)
  }

  /// The serial ports of this computer, sorted by name: ttyACM2 before ttyACM10.
  package static func all() throws(SerialError) -> [PortInfo] {
    var list: UnsafeMutablePointer<OpaquePointer?>?
    guard sp_list_ports(&list) == SP_OK, let list else {
      throw SerialError(
        .inputOutput, path: "/dev", cause: Errno(rawValue: sp_last_error_code()),
        "the serial ports cannot be listed")
    }
    defer { sp_free_port_list(list) }
    var ports: [PortInfo] = []
    while let port = list[ports.count] { ports.append(PortInfo(port)) }
    return ports.sorted { Self.precedes($0.path, $1.path) }
  }

  /// Compares names, with numbers at their ends by value.
  static func precedes(_ a: String, _ b: String) -> Bool {
    func parts(_ text: String) -> (stem: Substring, number: Int) {
      let digits = text.reversed().prefix { $0.isASCII && $0.isNumber }.count
      return (text.dropLast(digits), Int(text.suffix(digits)) ?? -1)
    }
    let (left, right) = (parts(a), parts(b))
    if left.stem != right.stem { return left.stem < right.stem }
    return left.number != right.number ? left.number < right.number : a < b
  }
}
