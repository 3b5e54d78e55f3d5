package import Traces
package import Turret

/// Makes the devices on which sessions run.
package protocol DeviceSource<Made>: Sendable {
  associatedtype Made: RealTimeDevice

  /// The device's name in the `source` of a trace that is recorded on it.
  var name: String { get }
  /// How many sessions there can be at once; nil: any number.
  var sessionCountMax: Int? { get }
  /// Another build's figures that its devices run by; nil: those that were measured.
  var timing: Timing? { get }
  /// Whether its devices run in virtual time, so that their times never vary.
  var isVirtual: Bool { get }
  /// Whether its devices show how their sketch takes each byte.
  var reportsFates: Bool { get }
  /// The kinds of output that can be observed on a device with that firmware, before one exists.
  func observes(_ firmware: Firmware) -> Set<Output.Kind>
  /// Throws if there is no device, as far as that can be found out without disturbing it.
  func check() throws(DeviceError)
  /// Makes the device for a session that begins as its header says, with a firmware's behaviour.
  func makeDevice(
    for header: Header, firmware: Firmware, showsPulses: Bool
  ) throws(DeviceError) -> Made
  /// Returns a device that is absent and for which `rejoin` can be tried; nil if it cannot come
  /// later.
  func absent(_ firmware: Firmware, baud: Int, for error: DeviceError) -> Made?
  /// Returns the same device, just restarted, after it was gone, for a session whose time 0 was at
  /// `origin`; nil if it is not back.
  func rejoin(
    for header: Header, firmware: Firmware, since origin: HostTime
  ) throws(DeviceError) -> Made?
}

extension DeviceSource {
  package var timing: Timing? { nil }
  package var sessionCountMax: Int? { nil }
  package var isVirtual: Bool { true }
  package var reportsFates: Bool { false }
  package func check() throws(DeviceError) {}
  package func absent(
    _ firmware: Firmware, baud: Int, for error: DeviceError
  ) -> Made? { nil }

  package func rejoin(
    for header: Header, firmware: Firmware, since origin: HostTime
  ) throws(DeviceError) -> Made? { nil }
}
