import Aim
import Network
import Pictures
import Synchronization
import SystemPackage
import Traces
import TurretLink

/// Shows the state of aiming on standard error: on a terminal, one changing line like the app's;
/// otherwise, a line for each change of the connection.
final class AimDisplay: @unchecked Sendable {
  /// The minimum width kept for the connection's state, however narrow the terminal is:
  /// `disconnected...`.
  private static let stateColumnsMin = 15
  private static let reportLengthMax = 400

  /// The target without its query and without any token in its path.
  let name: String
  let hasTarget: Bool
  /// A descriptor that never blocks, because commands must not wait for a stopped terminal. Nil if
  /// standard error is not a terminal.
  private let terminal: TerminalDescriptor?
  private var state: SenderState?
  /// Why there is no connection; empty if there is one.
  private(set) var trouble = ""
  private(set) var hasConnected = false
  private var sighting = ""
  private var lastReport = ""
  /// The line on the terminal; nil if it may be incomplete.
  private var shown: String? = ""

  init(target: String?) {
    name = TokenMask.masked(String((target ?? "").prefix { $0 != "?" }))
    hasTarget = target != nil
    terminal = Console.isErrorWatched ? TerminalDescriptor(reopening: .standardError) : nil
  }

  func show(state: SenderState) {
    switch state {
    case .connecting: break
    case .connected:
      hasConnected = true
      trouble = ""
    case .disconnected(let why): trouble = why
    }
    guard state != self.state else { return }
    self.state = state
    if terminal != nil { draw() } else { report("\(name): \(state)") }
  }

  func show(sighting: String) {
    guard sighting != self.sighting else { return }
    self.sighting = sighting
    draw()
  }

  /// Prints a permanent line, but not the same one twice in a row. Commands do not wait for the
  /// reader.
  func report(_ text: String) {
    guard text != lastReport else { return }
    lastReport = text
    let start = Signals.hasOpenLine.load(ordering: .relaxed) ? "\r\u{1B}[K" : ""
    // The text may come from a server.
    Console.offer("\(start)sentrybench: \(PlainText.of(text, upTo: Self.reportLengthMax))\n")
    Signals.hasOpenLine.store(false, ordering: .relaxed)
    shown = ""
    draw()
  }

  /// Reports the final summary, unless a terminal has been showing it all along.
  func end(with sum: String) {
    if terminal == nil { report(sum) }
    if Signals.hasOpenLine.load(ordering: .relaxed) { Console.offer("\n") }
    Signals.hasOpenLine.store(false, ordering: .relaxed)
  }

  private func draw() {
    switch terminal {
    case .none: break
    case .some(let terminal):
      let line = line(within: terminal.size.columns)
      guard line != shown else { return }
      let bytes = Array("\r\u{1B}[K\(line)".utf8)
      Signals.hasOpenLine.store(true, ordering: .relaxed)
      let count = try? terminal.write(bytes[...])
      shown = count == bytes.count ? line : nil
    }
  }

  /// Returns the line. One wider than the terminal could not be replaced, so it is cut; the
  /// sighting has precedence over the reason for a missing connection.
  private func line(within columns: Int) -> String {
    // Either may contain text from a server or a file.
    let state = PlainText.escaped(state?.description ?? "")
    let sighting = PlainText.escaped(sighting)
    guard !sighting.isEmpty, !state.isEmpty else {
      return Self.cut(state + sighting, to: columns)
    }
    let room = max(columns - sighting.count - 3, Self.stateColumnsMin)
    return Self.cut("\(Self.cut(state, to: room)) | \(sighting)", to: columns)
  }

  private static func cut(_ text: String, to columns: Int) -> String {
    text.count <= columns ? text : String("\(text.prefix(max(columns - 3, 0)))...".prefix(columns))
  }
}
