import Devices
import Engine
import Pictures
import Sketches
import SystemPackage
import Traces

/// The view of a live session: its state so far, drawn on the terminal.
final class LiveView {
  /// The time after which writing to a stalled terminal is tried again.
  private static let retry = Interval.milliseconds(33)

  private var screen: TerminalScreen
  private var tracker: LiveTracker
  /// The last warnings during the view, to print after it.
  private(set) var notices: [String] = []
  private static let noticesMax = 20

  /// Is called with each line ending that the user chooses in the serial monitor.
  private let remember: (SerialMonitor.LineEnd) -> Void

  init(
    _ screen: consuming TerminalScreen, _ tracker: LiveTracker,
    remember: @escaping (SerialMonitor.LineEnd) -> Void
  ) {
    self.screen = screen
    self.tracker = tracker
    self.remember = remember
  }

  var shaft: Shaft { tracker.shaft }

  func enter() { screen.enter() }
  func leave() { screen.leave() }
  func resized() { screen.resized() }
  func suspend() { screen.suspend() }

  /// Becomes readable when a key is pressed; nil while keys are not for the view.
  var keyDescriptor: FileDescriptor? { screen.keyDescriptor }
  /// Takes the keys pressed since the last call, while they are for the serial monitor. Returns the
  /// others, and passes on the lines that were typed.
  func takeKeys(_ send: ([UInt8]) -> Void) -> [UInt8] {
    var keys = screen.takeKeys()[...]
    while let key = keys.first, !tracker.status.monitor.isTyping {
      switch key {
      case UInt8(ascii: "m") where tracker.status.canType: tracker.status.monitor.begin()
      case UInt8(ascii: "c"): tracker.status.monitor.isShown = false
      default: return Array(keys)
      }
      keys.removeFirst()
    }
    let lineEnd = tracker.status.monitor.lineEnd
    for line in tracker.status.monitor.take(Array(keys)) { send(line) }
    if tracker.status.monitor.lineEnd != lineEnd { remember(tracker.status.monitor.lineEnd) }
    return []
  }

  /// Rewinds to a moment and its shaft.
  func goBack(to moment: LiveMoment<some RealTimeDevice>) {
    tracker.goBack(to: moment)
    screen.rewind()
  }

  /// Shows a line that is not needed afterwards.
  func showNotice(_ line: String) { tracker.status.notice = line }

  func warn(_ line: String) {
    if notices.count == Self.noticesMax { notices.removeFirst() }
    notices.append(line)
    tracker.status.notice = line
  }

  func take(_ event: Event) { tracker.take(event) }

  /// Draws the state at `now` if a redraw is due when the clock's present is `clock`. The board is
  /// `behind` it.
  func draw(
    _ session: Session<some RealTimeDevice>, clients: Int, lateness: Lateness,
    behind: Interval, at now: Instant, clock: Instant
  ) {
    tracker.look(at: session, clients: clients, lateness: lateness, at: now)
    tracker.status.behind = behind
    screen.draw(tracker.status, now: clock)
  }

  /// Returns when to draw again even if nothing happens: at the next redraw, or the clock's next
  /// second.
  func nextRedraw(after now: Instant) -> Instant? {
    if screen.isGone { return nil }
    if screen.wantsToWrite { return now + Self.retry }
    let second = Interval.seconds(1).nanoseconds
    let tick = Instant(nanoseconds: (now.nanoseconds / second + 1) * second)
    return screen.nextRedraw.map { min($0, tick) } ?? tick
  }
}
