package import Bench
package import Traces
package import Turret

/// A real board on a serial port; each session opens it anew.
package struct BoardSource: DeviceSource {
  private let path: String
  private let resets: Bool
  private let bootTime: Interval

  /// `bootTime`: from the reset until the bootloader hands over to the sketch.
  package init(path: String, resets: Bool, bootTime: Interval) {
    self.path = path
    self.resets = resets
    self.bootTime = bootTime
  }

  package var name: String { "serial" }
  package var sessionCountMax: Int? { 1 }

  package func observes(_ firmware: Firmware) -> Set<Output.Kind> {
    BoardDevice.observes(firmware)
  }

  package func makeDevice(
    for header: Header, firmware: Firmware, showsPulses: Bool
  ) throws(DeviceError) -> any Device {
    do throws(SerialError) {
      let port = try SerialPort(path: path, speed: header.baud, keepsLines: !resets)
      return try BoardDevice(
        port, firmware: firmware, baud: header.baud, resets: resets, bootTime: bootTime)
    } catch {
      throw DeviceError(error)
    }
  }
}

extension DeviceError {
  package init(_ error: SerialError) {
    switch error.code {
    case .unavailable, .gone: self.init(.unavailable, error.description)
    case .inputOutput: self.init(.inputOutput, error.description)
    }
  }
}
