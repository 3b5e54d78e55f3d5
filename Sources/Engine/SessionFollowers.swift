import Devices
import Judging
import Sketches
import Traces

/// The receivers of the events that decide something, or that count.
struct SessionFollowers: Sendable {
  var counts = LiveCounts()
  /// Bytes from the board that are on their way to the sender.
  var toSender: TransmitDelay
  var judge: TraceJudge?
  var rules: SessionRules?
  var client: APISession?
  /// The servos as machines; nil if only their commands are of interest.
  var drive: ServoDrive?
  /// The faults on the way from the board; nil for none.
  var returnLine: ReturnLine?

  init(baud: Int) { toSender = TransmitDelay(baud: baud) }

  /// Takes an event and passes it on, with those of the faults on the way from the board.
  ///
  /// - Parameter isDriven: whether the drive has taken the event already.
  mutating func pass(_ event: Event, isDriven: Bool = false, _ emit: (Event) -> Void) {
    guard var line = returnLine.take() else {
      take(event, isDriven: isDriven)
      if case .output(.transmit(let byte)) = event.kind { toSender.put(byte, at: event.time) }
      return emit(event)
    }
    line.pass(event) {
      take($0, isDriven: isDriven)
      emit($0)
    }
    keep(line)
  }

  /// Lets the faults on the way from the board strike that do so by an instant.
  mutating func advanceReturn(to instant: Instant, _ emit: (Event) -> Void) {
    guard var line = returnLine.take() else { return }
    line.advance(to: instant) {
      take($0)
      emit($0)
    }
    keep(line)
  }

  private mutating func keep(_ line: consuming ReturnLine) {
    for (byte, start) in line.takeArrived() { toSender.put(byte, at: start) }
    returnLine = line
  }

  private mutating func take(_ event: Event, isDriven: Bool = false) {
    counts.add(event)
    judge?.take(event)
    rules?.take(event)
    client?.take(event)
    if !isDriven { drive?.take(event) }
  }
}
