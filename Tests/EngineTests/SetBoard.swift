import Devices
import Sketches
import Traces

@testable import Engine

/// A model whose program has set its own speed and format, and that notes which pins it shows.
struct SetBoard: RealTimeDevice {
  var model: Model
  var sendingBaud: Int?
  var receivingFormat = LineFormat.standard
  var remarks: [String] = []
  /// Why it no longer works; nil while it does.
  var fault: DeviceError?
  /// The pins that a session has asked for.
  var watched: [PinSelection] = []

  init(_ model: Model) { self.model = model }

  var capabilities: DeviceCapabilities { model.capabilities }
  var onTheWayCount: Int { model.onTheWayCount }
  var waitingCount: Int? { model.waitingCount }
  var activity: Activity? { model.activity }
  var nextDeadline: Instant? { model.nextDeadline }
  mutating func send(_ bytes: [UInt8], at instant: Instant) { model.send(bytes, at: instant) }
  mutating func setSenderBaud(_ baud: Int) { model.setSenderBaud(baud) }
  mutating func setSenderFormat(_ format: LineFormat) { model.setSenderFormat(format) }
  mutating func sendBreak(lasting length: Interval, at instant: Instant) {
    model.sendBreak(lasting: length, at: instant)
  }
  mutating func addFramingError(to byte: UInt8) { model.addFramingError(to: byte) }
  mutating func reset(at instant: Instant, deadTime: Interval, into recorder: inout Recorder) {
    model.reset(at: instant, deadTime: deadTime, into: &recorder)
  }
  mutating func advance(to end: Instant, into recorder: inout Recorder) {
    model.advance(to: end, into: &recorder)
  }
  mutating func takeUndelivered() -> [(byte: UInt8, end: Instant)] { model.takeUndelivered() }
  mutating func watch(_ pins: PinSelection) { watched.append(pins) }
}
