import Aim
import Clients
import Networking
import Pictures
import SystemPackage
import Traces

/// What people see of aiming, on standard error: on a terminal one line that changes, as the app
/// shows it; elsewhere a line for each change of the connection.
final class AimDisplay: @unchecked Sendable {
  /// So much of the connection's state is shown, however narrow the terminal is: `disconnected...`.
  private static let stateColumnsMin = 15
  private static let toldMax = 400

  /// The target without its query and without a token in its path.
  let name: String
  let hasTarget: Bool
  /// Commands must not wait for a terminal that somebody has stopped. nil: nobody watches.
  private let terminal: TerminalDescriptor?
  private var state: SenderState?
  /// Why there is no connection; empty: there is one.
  private(set) var trouble = ""
  /// Whether there was a connection at any time.
  private(set) var hasConnected = false
  private var sighting = ""
  private var told = ""
  /// nil: it is not known whether all of it is there.
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
    if terminal != nil { draw() } else { tell("\(name): \(state)") }
  }

  func show(sighting: String) {
    guard sighting != self.sighting else { return }
    self.sighting = sighting
    draw()
  }

  /// Tells something that stays; not twice in turn. Commands do not wait for who reads it.
  func tell(_ text: String) {
    guard text != told else { return }
    told = text
    let start = Signals.hasOpenLine ? "\r\u{1B}[K" : ""
    // It may be a server's text.
    Console.offer("\(start)sentrybench: \(PlainText.of(text, upTo: Self.toldMax))\n")
    Signals.hasOpenLine = false
    shown = ""
    draw()
  }

  /// The last thing to be told, where no terminal has shown all the while what it sums up.
  func end(with sum: String) {
    if terminal == nil { tell(sum) }
    if Signals.hasOpenLine { Console.offer("\n") }
    Signals.hasOpenLine = false
  }

  private func draw() {
    switch terminal {
    case .none: break
    case .some(let terminal):
      let line = line(within: terminal.size.columns)
      guard line != shown else { return }
      let bytes = Array("\r\u{1B}[K\(line)".utf8)
      Signals.hasOpenLine = true
      let count = try? terminal.write(bytes[...])
      shown = count == bytes.count ? line : nil
    }
  }

  /// A line that is wider than the terminal could not be taken back. What is seen is more than why
  /// there is no connection.
  private func line(within columns: Int) -> String {
    // Either may have in it what a server or a file says.
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
