package import Devices
package import Traces
package import Turret

/// A real board on a serial port, which each session opens again.
package struct BoardSource: DeviceSource {
  private let path: String
  /// Identifies a USB device under whatever name it reappears; nil if it has no serial number.
  private let serialNumber: String?
  private let resets: Bool
  private let bootTime: Interval
  private let opensWithReset: Bool

  /// `bootTime` is the time from the reset until the bootloader starts the sketch; nil means 1 s.
  /// If it is given, opening a port without DTR counts as a reset.
  package init(path: String, resets: Bool, bootTime: Interval?) {
    self.path = path
    serialNumber = PortInfo.find(path)?.serialNumber
    self.resets = resets
    self.bootTime = bootTime ?? .seconds(1)
    opensWithReset = bootTime != nil
  }

  package var name: String { "serial" }
  package var sessionCountMax: Int? { 1 }
  package var isVirtual: Bool { false }

  package func observes(_ firmware: Firmware) -> Set<Output.Kind> {
    BoardDevice.observes(firmware)
  }

  package func check() throws(DeviceError) {
    if PortSystem.resolve(path) == nil {
      throw DeviceError(SerialError(opening: path, PortSystem.errno))
    }
  }

  package func makeDevice(
    for header: Header, firmware: Firmware, showsPulses: Bool
  ) throws(DeviceError) -> BoardDevice {
    do throws(SerialError) {
      let port = try SerialPort(path: path, speed: header.baud, keepsLines: !resets)
      return try BoardDevice(
        port, firmware: firmware, baud: header.baud, resets: resets,
        opensWithReset: opensWithReset, bootTime: bootTime)
    } catch {
      throw DeviceError(error)
    }
  }
}

extension BoardSource {
  package func absent(
    _ firmware: Firmware, baud: Int, for error: DeviceError
  ) -> BoardDevice? {
    guard PortSystem.resolve(path) == nil else { return nil }
    return BoardDevice(absent: error, firmware: firmware, baud: baud)
  }

  package func rejoin(
    for header: Header, firmware: Firmware, since origin: HostTime
  ) throws(DeviceError) -> BoardDevice? {
    do throws(SerialError) {
      guard let path = try presentPath() else { return nil }
      let port = try SerialPort(path: path, speed: header.baud, keepsLines: !resets)
      return BoardDevice(
        rejoining: port, since: origin, firmware: firmware, baud: header.baud, bootTime: bootTime)
    } catch {
      throw DeviceError(error)
    }
  }

  /// The board's current path.
  private func presentPath() throws(SerialError) -> String? {
    guard let serialNumber else { return path }
    return try PortInfo.all().first { $0.serialNumber == serialNumber }?.path
  }
}

extension DeviceError {
  package init(_ error: SerialError) {
    switch error.code {
    case .unavailable: self.init(.unavailable, error.description)
    case .gone: self.init(.gone, error.description)
    case .inputOutput: self.init(.inputOutput, error.description)
    }
  }
}
