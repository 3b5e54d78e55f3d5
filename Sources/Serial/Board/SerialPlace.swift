/// A board on a serial port of this computer.
package struct SerialPlace: BoardPlace {
  private let path: String
  /// Identifies a USB device under whatever name it reappears; nil if it has no serial number.
  private let serialNumber: String?

  package init(path: String) {
    self.path = path
    serialNumber = PortInfo.find(path)?.serialNumber
  }

  package var name: String { "serial" }

  package var canAppear: Bool { PortSystem.resolve(path) == nil }

  package func check() throws(SerialError) {
    if canAppear { throw SerialError(opening: path, PortSystem.errno) }
  }

  package func open(speed: Int, keepsLines: Bool) throws(SerialError) -> any BoardPort {
    try SerialPort(path: path, speed: speed, keepsLines: keepsLines)
  }

  package func reopen(speed: Int, keepsLines: Bool) throws(SerialError) -> (any BoardPort)? {
    guard let path = try presentPath() else { return nil }
    return try SerialPort(path: path, speed: speed, keepsLines: keepsLines)
  }

  /// The board's current path.
  private func presentPath() throws(SerialError) -> String? {
    guard let serialNumber else { return path }
    return try PortInfo.all().first { $0.serialNumber == serialNumber }?.path
  }
}
