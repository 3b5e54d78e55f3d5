package import Serial
import Sketches
import Traces

/// The serial ports of this computer, for `ports`.
package struct PortListing {
  private let ports: [PortInfo]

  package init() throws(SerialError) { ports = try PortInfo.all() }

  package var isEmpty: Bool { ports.isEmpty }

  /// A line for each port, such as `/dev/ttyACM0  2341:0043  Arduino Uno, serial number 95437`.
  package var lines: [String] {
    let rows = ports.map { port in
      var name = port.description ?? port.productName ?? ""
      if let number = port.serialNumber { name += ", serial number \(number)" }
      let numbers = [port.vendor, port.product].compactMap { $0.map(Self.hexadecimal) }
      let identity = numbers.count == 2 ? numbers.joined(separator: ":") : "-"
      return [port.path, identity.padded(to: 9), name]
    }
    return TextTable.lines(rows)
  }

  /// An object for each port.
  package var json: [String] {
    ports.map { port in
      JSONValue.object([
        .init("path", .string(port.path)),
        .init("vid", .text(port.vendor.map(Self.hexadecimal))),
        .init("pid", .text(port.product.map(Self.hexadecimal))),
        .init("serial", .text(port.serialNumber)),
        .init("manufacturer", .text(port.manufacturerName)),
        .init("product", .text(port.productName)),
        .init("description", .text(port.description)),
        .init("transport", .text(port.transport?.rawValue)),
      ]).text
    }
  }

  /// Formats four digits, as lsusb does.
  private static func hexadecimal(_ number: UInt16) -> String {
    String(number, radix: 16, digits: 4)
  }
}
