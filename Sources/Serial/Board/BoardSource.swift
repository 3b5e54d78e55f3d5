package import Devices
package import Sketches
package import Traces

/// A real board, whose port is opened again by each session.
package struct BoardSource: DeviceSource {
  private let place: any BoardPlace
  private let resets: Bool
  private let bootTime: Interval
  private let opensWithReset: Bool

  /// `bootTime` is the time from the reset until the bootloader starts the sketch; nil means 1 s.
  /// If it is given, opening a port without DTR counts as a reset.
  package init(at place: any BoardPlace, resets: Bool, bootTime: Interval?) {
    self.place = place
    self.resets = resets
    self.bootTime = bootTime ?? .seconds(1)
    opensWithReset = bootTime != nil
  }

  package var name: String { place.name }
  package var sessionCountMax: Int? { 1 }
  package var isVirtual: Bool { false }
  package var runsAnyProgram: Bool { true }

  package func observes(_ firmware: Firmware) -> Set<Output.Kind> { BoardDevice.observes(firmware) }

  package func check() throws(DeviceError) {
    do throws(SerialError) {
      try place.check()
    } catch {
      throw DeviceError(error)
    }
  }

  package func makeDevice(
    for header: Header, firmware: Firmware, showsPulses: Bool
  ) throws(DeviceError) -> BoardDevice {
    do throws(SerialError) {
      return try BoardDevice(
        place.open(speed: header.baud, keepsLines: !resets), firmware: firmware,
        baud: header.baud, resets: resets, opensWithReset: opensWithReset, bootTime: bootTime)
    } catch {
      throw DeviceError(error)
    }
  }

  package func absent(_ firmware: Firmware, baud: Int, for error: DeviceError) -> BoardDevice? {
    guard place.canAppear else { return nil }
    return BoardDevice(absent: error, firmware: firmware, baud: baud)
  }

  package func rejoin(
    for header: Header, firmware: Firmware, since origin: HostTime
  ) throws(DeviceError) -> BoardDevice? {
    do throws(SerialError) {
      guard let port = try place.reopen(speed: header.baud, keepsLines: !resets) else { return nil }
      return BoardDevice(
        rejoining: port, since: origin, firmware: firmware, baud: header.baud, bootTime: bootTime)
    } catch {
      throw DeviceError(error)
    }
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
