import Devices
import Judging
import Sketches
import Traces

@testable import Engine

/// A board with two servos. `P110,80\n` turns the session's own to 110 degrees and that at D10 to
/// 80.
struct TwoServoBoard: RealTimeDevice {
  static let tilt = BoardPin(arduino: 10)!
  private static let frame = Interval.milliseconds(20)

  private var arriving: [(byte: UInt8, end: Instant)] = []
  private var line: [UInt8] = []
  private(set) var angles = (pan: 90, tilt: 90)
  private var nextPulse = Instant.zero + frame
  private var lineFree = Instant.zero

  var capabilities: DeviceCapabilities {
    var own = DeviceCapabilities.virtual(observing: [.pulse], reportsFates: false)
    own.hasOtherServos = true
    return own
  }

  var onTheWayCount: Int { arriving.count }
  var nextDeadline: Instant? { min(nextPulse, arriving.first?.end ?? nextPulse) }
  mutating func send(_ bytes: [UInt8], at instant: Instant) {
    lineFree = max(lineFree, instant)
    for byte in bytes {
      lineFree = lineFree + .microseconds(87)
      arriving.append((byte, lineFree))
    }
  }
  mutating func setSenderBaud(_ baud: Int) {}
  mutating func setSenderFormat(_ format: LineFormat) {}
  mutating func sendBreak(lasting length: Interval, at instant: Instant) {}
  mutating func addFramingError(to byte: UInt8) {}
  mutating func takeUndelivered() -> [(byte: UInt8, end: Instant)] { [] }
  mutating func reset(at instant: Instant, deadTime: Interval, into recorder: inout Recorder) {
    line = []
  }

  mutating func advance(to end: Instant, into recorder: inout Recorder) {
    while let next = nextDeadline, next <= end {
      if let first = arriving.first, first.end <= nextPulse {
        arriving.removeFirst()
        take(first.byte)
      } else {
        put(angles.pan, on: nil, at: nextPulse, &recorder)
        put(angles.tilt, on: Self.tilt, at: nextPulse + .milliseconds(3), &recorder)
        nextPulse = nextPulse + Self.frame
      }
    }
  }

  private mutating func take(_ byte: UInt8) {
    guard byte == UInt8(ascii: "\n") else { return line.append(byte) }
    let numbers = line.dropFirst().split(separator: UInt8(ascii: ",")).map {
      Int(String(decoding: $0, as: UTF8.self)) ?? -1
    }
    if line.first == UInt8(ascii: "P"), numbers.count == 2 { angles = (numbers[0], numbers[1]) }
    line = []
  }

  private func put(
    _ degrees: Int, on pin: BoardPin?, at instant: Instant, _ recorder: inout Recorder
  ) {
    let microseconds = 544 + Double(degrees) * (2_400 - 544) / 180
    recorder.put(.pulse(microseconds: microseconds, on: pin), at: instant)
  }

  /// What a session on it begins with.
  static func start() -> SessionStart<TwoServoBoard> {
    let device = TwoServoBoard()
    let header = Header(firmware: .guarded, baud: 115_200, duration: nil, title: nil)
    return SessionStart(
      device: device, header: header,
      setup: SessionSetup(firmware: .guarded, observes: device.capabilities.observes), faults: nil)
  }
}
