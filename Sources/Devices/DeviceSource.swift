package import Traces
package import Turret

/// Where the devices come from that sessions run on.
package protocol DeviceSource: Sendable {
  /// What stands in the `source` of a trace that is recorded on it.
  var name: String { get }
  /// How many sessions there can be at once; nil: any number.
  var sessionCountMax: Int? { get }
  /// Another build's figures that its devices run by; nil: those that were measured.
  var timing: Timing? { get }
  /// The kinds of output that can be observed on a device with that firmware, before there is one.
  func observes(_ firmware: Firmware) -> Set<Output.Kind>
  /// Whether there is a device at all, as far as that can be told without disturbing it.
  func check() throws(DeviceError)
  /// The device for a session that begins as its header says, with a firmware's behaviour.
  func makeDevice(
    for header: Header, firmware: Firmware, showsPulses: Bool
  ) throws(DeviceError) -> any Device
  /// A device that is not there and for which `rejoin` is to be tried; nil where these cannot come
  /// later.
  func absent(_ firmware: Firmware, for error: DeviceError) -> (any Device)?
  /// The device as it was written down; nil where these devices cannot be.
  func restore(_ state: StateFile, showsPulses: Bool) throws(TraceError) -> (any Device)?
  /// The same device again after it was gone, just started, for a session whose time 0 was at
  /// `origin`; nil where it is not back.
  func rejoin(
    for header: Header, firmware: Firmware, since origin: HostTime
  ) throws(DeviceError) -> (any Device)?
}

extension DeviceSource {
  package var timing: Timing? { nil }

  package func check() throws(DeviceError) {}

  package func absent(_ firmware: Firmware, for error: DeviceError) -> (any Device)? { nil }

  package func restore(
    _ state: StateFile, showsPulses: Bool
  ) throws(TraceError) -> (any Device)? { nil }

  package func rejoin(
    for header: Header, firmware: Firmware, since origin: HostTime
  ) throws(DeviceError) -> (any Device)? { nil }
}
