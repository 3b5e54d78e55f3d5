package import Sketches
package import Traces

/// Creates the devices on which sessions run.
package protocol DeviceSource<Made>: Sendable {
  associatedtype Made: RealTimeDevice

  /// The device's name in the `source` of a trace recorded on it.
  var name: String { get }
  /// The maximum number of simultaneous sessions; nil if unlimited.
  var sessionCountMax: Int? { get }
  /// Another build's figures that its devices use; nil for the measured ones.
  var timing: Timing? { get }
  /// Whether its devices run in virtual time, so that their outputs' times never vary.
  var isVirtual: Bool { get }
  /// What is applied to the pins of its devices before they start. Sessions record it as events at
  /// time 0.
  var inputs: [BoardInput] { get }
  /// Whether its devices report how their sketch takes each byte.
  var reportsFates: Bool { get }
  /// Whether its sketch can be any program, whatever firmware is named.
  var runsAnyProgram: Bool { get }
  /// The path of the file of the program that its devices run; nil if there is none.
  var programFile: String? { get }
  /// Whether its sketch is so busy with its pins that trying it in virtual time would take long.
  var isRestless: Bool { get }
  /// Whether the time of a servo event is that of the sketch's store, not of a later pulse.
  var showsStores: Bool { get }
  /// The pins whose levels its devices report.
  var pins: PinSelection { get }
  /// Returns the kinds of output that can be observed on a device with that firmware, before one
  /// exists.
  func observes(_ firmware: Firmware) -> Set<Output.Kind>
  /// Returns the speed that its sketch sets first, in bits a second, found without a session; nil
  /// if that is unknown. It can take some milliseconds.
  func findSpeed() -> Int?
  /// Returns the format that its sketch sets first, found in the same way; 8N1 if that is unknown.
  /// Senders that have no format of their own use it.
  func findFormat() -> LineFormat
  /// Throws if there is no device, as far as can be determined without disturbing it.
  func check() throws(DeviceError)
  /// Creates the device for a session that begins as its header states, with a firmware's
  /// behaviour.
  func makeDevice(
    for header: Header, firmware: Firmware, showsPulses: Bool
  ) throws(DeviceError) -> Made
  /// Returns a device that is absent, for which `rejoin` can be tried; nil if the device
  /// cannot appear later.
  func absent(_ firmware: Firmware, baud: Int, for error: DeviceError) -> Made?
  /// Returns the device, just restarted, after it was gone, for a session whose time 0 was at
  /// `origin`; nil if it is not back.
  func rejoin(
    for header: Header, firmware: Firmware, since origin: HostTime
  ) throws(DeviceError) -> Made?
}

extension DeviceSource {
  package var timing: Timing? { nil }
  package var sessionCountMax: Int? { nil }
  package var isVirtual: Bool { true }
  package var inputs: [BoardInput] { [] }
  package var reportsFates: Bool { false }
  package var runsAnyProgram: Bool { false }
  package var programFile: String? { nil }
  package var isRestless: Bool { false }
  package var showsStores: Bool { true }
  package var pins: PinSelection { .some([]) }
  package func findSpeed() -> Int? { nil }
  package func findFormat() -> LineFormat { .standard }
  package func check() throws(DeviceError) {}
  package func absent(
    _ firmware: Firmware, baud: Int, for error: DeviceError
  ) -> Made? { nil }

  package func rejoin(
    for header: Header, firmware: Firmware, since origin: HostTime
  ) throws(DeviceError) -> Made? { nil }
}

extension DeviceSource {
  /// Returns the firmware that a trace is replayed as: the requested one, or else the trace's own,
  /// or else guarded. Throws if the trace names a sketch that no model behaves as, and the devices
  /// are models. `path` is the trace's, for the message.
  package func firmware(
    of header: Header, in path: String, unless requested: Firmware?
  ) throws(TraceError) -> Firmware {
    if requested == nil, !runsAnyProgram, let name = header.otherFirmware {
      throw TraceError(
        .malformed, path: path, line: 1,
        "no model behaves as the sketch \(PlainText.quoted(name)); --device avr:FILE replays the "
          + "trace on its program, and --firmware on \(Firmware.list)")
    }
    return header.firmware(unless: requested)
  }

  /// How far the times of a trace can be off, as `stated` or else by its header; nil if they count
  /// as exact. A device in real time cannot replay a session a thousand times.
  package func uncertainty(of header: Header, unless stated: Interval?) -> Interval? {
    guard isVirtual, let uncertainty = stated ?? header.uncertainty, uncertainty > .zero else {
      return nil
    }
    return uncertainty
  }

  /// Returns the notes about a trace whose speed is not that of the sketch: at most one sentence.
  /// `speed` is the result of `findSpeed`.
  package func speedNotes(_ header: Header, speed: Int?) -> [String] {
    guard let speed, abs(speed - header.baud) * 100 > header.baud * 3 else { return [] }
    return [
      "the trace was recorded at \(header.baud) baud, and the sketch set its USART to \(speed) baud"
    ]
  }
}

/// Creates Swift models in virtual time.
package struct ModelSource: DeviceSource {
  package let timing: Timing?

  /// `timing` is another build's figures, nil for the measured ones.
  package init(timing: Timing? = nil) { self.timing = timing }

  package var name: String { "model" }
  package var reportsFates: Bool { true }

  package func observes(_ firmware: Firmware) -> Set<Output.Kind> {
    Model.observes
  }

  package func makeDevice(for header: Header, firmware: Firmware, showsPulses: Bool) -> Model {
    Model(firmware, timing: timing, for: header, showsPulses: showsPulses)
  }
}

extension Model: RealTimeDevice {
  /// Creates a model whose session begins as the trace's header states. `timing` is another build's
  /// figures, nil for the measured ones.
  package init(
    _ firmware: Firmware, timing: Timing? = nil, for header: Header, showsPulses: Bool
  ) {
    self.init(
      firmware, timing: timing, baud: header.baud, isRunning: header.start == .unknown,
      showsPulses: showsPulses)
  }
}
