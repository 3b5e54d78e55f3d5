import ArgumentParser
import Serial
import Sessions
import Traces

struct PortsCommand: ParsableCommand {
  static let configuration = CommandConfiguration(
    commandName: "ports",
    abstract: "List the serial ports of this computer.",
    discussion: "If there are none, a message on standard error says so, and the exit status is 0.")

  @Flag(help: "Print JSON Lines, one object for each port.")
  var json = false

  func run() throws {
    let ports = try PortInfo.all()
    if ports.isEmpty { Console.report("There is no serial port on this computer.") }
    let width = ports.map(\.path.count).max() ?? 0
    for port in ports {
      try Console.write(json ? Self.json(port) : Self.text(port, pathWidth: width))
    }
  }

  /// `/dev/ttyACM0  2341:0043  Arduino Uno, serial number 95437`
  private static func text(_ port: PortInfo, pathWidth: Int) -> String {
    let identity =
      port.vendor.flatMap { vendor in
        port.product.map { "\(hexadecimal(vendor)):\(hexadecimal($0))" }
      } ?? "-"
    var line = port.path.padded(to: pathWidth) + "  " + identity.padded(to: 9)
    line += "  " + (port.description ?? port.productName ?? "")
    if let number = port.serialNumber { line += ", serial number \(number)" }
    while line.last == " " { line.removeLast() }
    return line
  }

  private static func json(_ port: PortInfo) -> String {
    func text(_ value: String?) -> JSONValue { value.map(JSONValue.string) ?? .null }
    var json = JSONText()
    json.add("path", port.path)
    json.add("vid", text(port.vendor.map(hexadecimal)))
    json.add("pid", text(port.product.map(hexadecimal)))
    json.add("serial", text(port.serialNumber))
    json.add("manufacturer", text(port.manufacturerName))
    json.add("product", text(port.productName))
    json.add("description", text(port.description))
    json.add("transport", text(port.transport?.rawValue))
    return json.text
  }

  /// Formats four digits, as lsusb does.
  private static func hexadecimal(_ number: UInt16) -> String {
    let digits = String(number, radix: 16)
    return String(repeating: "0", count: 4 - digits.count) + digits
  }
}
