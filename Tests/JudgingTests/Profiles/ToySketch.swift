import Devices
import Sketches
import Traces

/// A sketch of a few lines on a board in virtual time, for tests of what is found out by trying.
struct ToySketch: RealTimeDevice {
  /// Is called with each byte, and with nil when the board's alarm rings.
  typealias Body = @Sendable (inout Board, UInt8?) -> Void

  /// What a sketch reads, writes and waits for.
  struct Board: Sendable {
    fileprivate(set) var now = Instant.zero
    /// The bytes that the sketch has read and not used.
    var text: [UInt8] = []
    /// When the sketch wants to be called without a byte.
    var alarm: Instant?
    /// Numbers that the sketch remembers.
    var memory: [Double] = []
    /// Until when it takes no byte.
    var busy = Instant.zero
    fileprivate var widths: [Int: UInt16] = [:]
    fileprivate var outputs: [TimedOutput] = []

    mutating func servo(_ degrees: Int, on pin: Int) {
      let angle = min(max(degrees, 0), 180)
      let width = UInt16(544 + angle * 1_856 / 180)
      if widths[pin] == width { return }
      widths[pin] = width
      let servo = Output.servo(
        degrees: UInt8(angle), microseconds: width, on: BoardPin(arduino: pin))
      outputs.append(TimedOutput(time: now, output: servo))
    }

    mutating func pin(_ pin: Int, _ isHigh: Bool, after time: Interval = .zero) {
      guard let pin = BoardPin(arduino: pin) else { return }
      outputs.append(TimedOutput(time: now + time, output: .pin(pin, isHigh: isHigh)))
    }

    mutating func print(_ text: String) {
      for byte in text.utf8 { outputs.append(TimedOutput(time: now, output: .transmit(byte))) }
    }
  }

  private let body: Body
  private let byteTime: Interval
  /// What it prints by itself, every 100 ms.
  private let printed: String?
  private var nextPrint = Instant.zero + .milliseconds(100)
  private var board = Board()
  private var line: [(byte: UInt8, end: Instant)] = []

  init(baud: Int, printing printed: String? = nil, _ body: @escaping Body) {
    byteTime = ByteClock.byteTime(baud: baud)
    self.printed = printed
    self.body = body
  }

  var capabilities: DeviceCapabilities {
    .virtual(observing: [.servo, .pin, .transmit], reportsFates: false)
  }
  var nextDeadline: Instant? { nil }
  var onTheWayCount: Int { line.count }

  mutating func send(_ bytes: [UInt8], at instant: Instant) {
    var end = max(instant, line.last?.end ?? instant)
    for byte in bytes {
      end = end + byteTime
      line.append((byte, end))
    }
  }

  mutating func setSenderBaud(_ baud: Int) {}
  mutating func setSenderFormat(_ format: LineFormat) {}
  mutating func sendBreak(lasting length: Interval, at instant: Instant) {}
  mutating func addFramingError(to byte: UInt8) {}
  mutating func reset(at instant: Instant, deadTime: Interval, into recorder: inout Recorder) {}
  mutating func takeUndelivered() -> [(byte: UInt8, end: Instant)] { [] }

  mutating func advance(to end: Instant, into recorder: inout Recorder) {
    while true {
      let byte = line.first.map { max($0.end, board.busy) }
      let print = printed == nil ? nil : nextPrint
      guard let next = [byte, board.alarm, print].compactMap({ $0 }).min(), next <= end else {
        break
      }
      board.now = next
      if next == print {
        board.print(printed ?? "")
        nextPrint = next + .milliseconds(100)
      } else if next == board.alarm {
        board.alarm = nil
        body(&board, nil)
      } else {
        body(&board, line.removeFirst().byte)
      }
    }
    board.outputs.sort { $0.time < $1.time }
    let due = board.outputs.prefix { $0.time <= end }
    for output in due { recorder.put(output.output, at: output.time) }
    board.outputs.removeFirst(due.count)
  }
}

/// Boards with one sketch, whatever is requested.
struct ToySource: DeviceSource {
  let sketch: ToySketch

  var name: String { "toy" }
  func observes(_: Firmware) -> Set<Output.Kind> { sketch.capabilities.observes }
  func makeDevice(
    for header: Header, firmware _: Firmware, showsPulses: Bool
  ) throws(DeviceError) -> ToySketch { sketch }
}

extension ToySketch {
  /// A sketch that takes lines, without their end.
  static func lines(
    printing printed: String? = nil, _ take: @escaping @Sendable (inout Board, String) -> Void
  ) -> ToySketch {
    ToySketch(baud: 115_200, printing: printed) { board, byte in
      guard let byte else { return }
      guard byte == 0x0A else {
        board.text.append(byte)
        return
      }
      let text = String(decoding: board.text, as: UTF8.self)
      board.text = []
      take(&board, text)
    }
  }
}
