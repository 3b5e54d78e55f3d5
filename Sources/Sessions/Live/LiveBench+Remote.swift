import ComPort
import Devices
import Engine
import Networking
import Platform
import RemotePorts
import Serial
import Traces
import Turret

// Input from the port over TCP (RFC 2217).
extension LiveBench {
  /// How many bytes are put on the line in advance: enough to last until the next turn, but few,
  /// because a client can only purge bytes that are not on the line yet. At a low speed, those of
  /// half a second.
  private var remoteAhead: Int {
    let speed = min(session.port.baud, remoteBaud, remote?.slowestWaiting ?? remoteBaud)
    return min(max(64, plan.session.baud / 250), max(2, speed / 20))
  }

  /// The number of the senders' bytes that have not reached the board yet.
  var totalOnTheWay: Int { session.onTheWayCount + (remote?.waitingCount ?? 0) }

  func takeRemoteInput() {
    guard let remote else { return }
    for event in remote.look() { handle(event) }
    let onTheWay = session.onTheWayCount
    // Otherwise each byte that leaves the line would be replaced by one more, as its own event.
    guard onTheWay <= remoteAhead / 2 else { return }
    for item in remote.takeForLine(room: remoteAhead - onTheWay) { put(item) }
  }

  private func handle(_ event: RemotePort.Event) {
    switch event {
    case .opened(let peer):
      if plan.isVerbose { report("\(peer) has opened the RFC 2217 port.") }
      resetByDTR()
    case .closed(let refused, let ignored):
      guard plan.isVerbose else { return }
      report(
        "The RFC 2217 client has disconnected. Other clients refused in the meantime: \(refused); "
          + "commands ignored: \(ignored).")
    case .dropped(let count):
      report(
        "\(String(counting: count, "byte")) of an RFC 2217 client that has left will not be sent.")
    case .foreign(let kind, let peer):
      report("\(peer) was refused: it begins as \(kind.name), not as a client of RFC 2217.")
    case .refused(let peer):
      report("\(peer) was refused: another client has the RFC 2217 port.")
    case .restart: resetByDTR()
    }
  }

  private func resetByDTR() {
    guard let deadTime = plan.resetOnDTR else { return }
    session.restart(deadTime: deadTime, at: now) { outputs.put($0) }
  }

  private func put(_ item: LineItem) {
    switch item {
    case .speed(let baud): remoteBaud = baud
    case .format(let format): remoteFormat = format
    case .bytes(let bytes):
      // A UART whose line is held low still takes bytes, but they do not reach the line.
      guard !session.port.isInBreak else { return }
      if remoteBaud != session.port.baud { setSpeed(to: remoteBaud) }
      if remoteFormat != session.port.format { setFormat(to: remoteFormat) }
      receive(bytes)
    case .breakBegan: session.beginBreak(at: now) { outputs.put($0) }
    case .breakEnded: session.endBreak(at: now) { outputs.put($0) }
    }
  }
}
