package import Serial
import Sketches
import Traces

/// The serial ports of this computer, for `ports`.
package struct PortListing {
  private let ports: [PortInfo]
  /// The length of the longest path.
  private let width: Int

  package init() throws(SerialError) {
    ports = try PortInfo.all()
    width = ports.map(\.path.count).max() ?? 0
  }

  package var isEmpty: Bool { ports.isEmpty }

  /// A line for each port.
  package var lines: [String] { ports.map(text) }
  /// An object for each port.
  package var json: [String] { ports.map(json) }

  /// `/dev/ttyACM0  2341:0043  Arduino Uno, serial number 95437`
  private func text(_ port: PortInfo) -> String {
    let identity =
      port.vendor.flatMap { vendor in
        port.product.map { "\(Self.hexadecimal(vendor)):\(Self.hexadecimal($0))" }
      } ?? "-"
    var line = port.path.padded(to: width) + "  " + identity.padded(to: 9)
    line += "  " + (port.description ?? port.productName ?? "")
    if let number = port.serialNumber { line += ", serial number \(number)" }
    while line.last == " " { line.removeLast() }
    return line
  }

  private func json(_ port: PortInfo) -> String {
    func text(_ value: String?) -> JSONValue { value.map(JSONValue.string) ?? .null }
    var json = JSONText()
    json.add("path", port.path)
    json.add("vid", text(port.vendor.map(Self.hexadecimal)))
    json.add("pid", text(port.product.map(Self.hexadecimal)))
    json.add("serial", text(port.serialNumber))
    json.add("manufacturer", text(port.manufacturerName))
    json.add("product", text(port.productName))
    json.add("description", text(port.description))
    json.add("transport", text(port.transport?.rawValue))
    return json.text
  }

  /// Formats four digits, as lsusb does.
  private static func hexadecimal(_ number: UInt16) -> String {
    String(number, radix: 16, digits: 4)
  }
}
