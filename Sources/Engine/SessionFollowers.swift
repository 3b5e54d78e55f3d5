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

  init(baud: Int) { toSender = TransmitDelay(baud: baud) }

  /// - Parameter isDriven: whether the drive has taken the event already.
  mutating func take(_ event: Event, isDriven: Bool = false) {
    counts.add(event)
    judge?.take(event)
    rules?.take(event)
    client?.take(event)
    if !isDriven { drive?.take(event) }
    if case .output(.transmit(let byte)) = event.kind { toSender.put(byte, at: event.time) }
  }
}
