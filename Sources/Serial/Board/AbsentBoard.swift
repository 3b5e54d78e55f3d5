import Devices
import Traces
import Turret

/// A placeholder for a board that has not been connected yet.
struct AbsentBoard: Device {
  private let zero = HostTime.now
  let observes: Set<Output.Kind>
  let fault: DeviceError?

  init(firmware: Firmware, because error: DeviceError) {
    observes = BoardDevice.observes(firmware)
    fault = DeviceError(.gone, error.description)
  }

  var nextDeadline: Instant? { nil }
  var activity: Activity? { nil }
  var waitingCount: Int? { nil }
  var tellsFates: Bool { false }
  var onTheWayCount: Int { 0 }
  var clock: Header.Clock { .host }
  /// The board's state before it is connected is unknown; it starts with its first reset.
  var start: Header.Start { .unknown }
  var origin: HostTime? { zero }
  var lag: Interval { BoardDevice.lag }

  mutating func send(_ bytes: [UInt8], at instant: Instant) {}
  mutating func setSenderBaud(_ baud: Int) {}
  mutating func reset(at instant: Instant, deadTime: Interval, into recorder: inout Recorder) {}
  mutating func takeUndelivered() -> [(byte: UInt8, end: Instant)] { [] }
  mutating func takeForSender() -> [UInt8]? { [] }

  /// Waits, as every device in real time does.
  mutating func advance(to end: Instant, into recorder: inout Recorder) {
    (zero + (end - .zero)).sleep()
  }
}
