/// What people see of aiming, on standard error: on a terminal one line that changes, as the app shows it;
/// elsewhere a line for each change of the connection.
final class AimDisplay: @unchecked Sendable {
  /// The target, without its query, in which there may be a token.
  let name: String
  let hasTarget: Bool
  private let isWatched = Console.isErrorWatched
  private var state = ""
  /// Whether there was a connection at any time.
  private(set) var hasConnected = false
  private var sighting = ""
  private var shown = ""

  init(target: String?) {
    name = String((target ?? "").prefix { $0 != "?" })
    hasTarget = target != nil
  }

  func show(state: String) {
    if state == "connected" { hasConnected = true }
    guard state != self.state else { return }
    self.state = state
    if isWatched { draw() } else { tell("\(name): \(state)") }
  }

  func show(sighting: String) {
    guard sighting != self.sighting else { return }
    self.sighting = sighting
    if isWatched { draw() }
  }

  /// Tells something that stays.
  func tell(_ text: String) {
    // It may be a server's text.
    let plain = text.unicodeScalars.map { $0.value < 0x20 || $0.value == 0x7F ? " " : "\($0)" }
    if isWatched, !shown.isEmpty { Console.display("\r\u{1B}[K") }
    Console.report("sentrybench: \(plain.joined())")
    shown = ""
    if isWatched { draw() }
  }

  func end() {
    if isWatched, !shown.isEmpty { Console.display("\n") }
  }

  private func draw() {
    let line = [state, sighting].filter { !$0.isEmpty }.joined(separator: " | ")
    guard line != shown else { return }
    shown = line
    Console.display("\r\u{1B}[K\(line)")
  }
}
