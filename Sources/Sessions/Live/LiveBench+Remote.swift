import ComPort
import Devices
import Networking
import Platform
import RemotePorts
import Traces
import Turret

// Input from the port over TCP (RFC 2217).
extension LiveBench {
  /// How many bytes are put on the line in advance: enough to last until the next turn, but few,
  /// because a client can only purge bytes that are not on the line yet.
  private var remoteAhead: Int { max(64, plan.baud / 250) }

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
    case .foreign(let kind, let peer):
      report("\(peer) was refused: it begins as \(kind.name), not as a client of RFC 2217.")
    case .refused(let peer):
      report("\(peer) was refused: another client has the RFC 2217 port.")
    case .restart: resetByDTR()
    case .format(let format):
      guard plan.isVerbose || !hasReportedFormat else { return }
      hasReportedFormat = true
      report(
        format.isBoards
          ? "The RFC 2217 client sends 8N1 again."
          : "The RFC 2217 client sends \(format), the board expects 8N1: "
            + "it decodes every frame as 8N1.")
    }
  }

  /// The board's reset pin is fed through 100 nF and held up by 10 kilohms, so a second edge within
  /// a millisecond does not reach it. The computer's time is used, because a session can be
  /// rewound.
  private func resetByDTR() {
    let now = HostTime.now
    guard let deadTime = plan.resetOnDTR, now >= restartsFrom else { return }
    restartsFrom = now + .milliseconds(1)
    take(.reset(deadTime))
  }

  private func put(_ item: LineItem) {
    switch item {
    case .speed(let baud): remoteBaud = baud
    case .bytes(let bytes):
      if remoteBaud != senderBaud { changeSpeed(to: remoteBaud) }
      receive(bytes)
    case .breakBegan: beginBreak()
    case .breakEnded: endBreak()
    }
  }

  /// The line stays low for longer than a byte at any speed, so the board receives one 0 without a
  /// stop bit, whatever the sender's speed.
  private func beginBreak() {
    if senderBaud != plan.baud { take(.baud(plan.baud)) }
    receive([0])
    if senderBaud != plan.baud { take(.baud(senderBaud)) }
    breakStart = session.now
  }

  private func endBreak() {
    guard let start = breakStart else { return }
    breakStart = nil
    take(.lineBreak(lasting: max(pacer.now - start, .zero)))
  }

  func changeSpeed(to baud: Int) {
    let bauds = SerialLine.bauds
    senderBaud = min(max(baud, bauds.lowerBound), bauds.upperBound)
    take(.baud(senderBaud))
    report(
      baud == plan.baud
        ? "The sender writes at \(baud) baud again."
        : "The sender writes at \(baud) baud, the board listens at \(plan.baud): "
          + "it receives garbled bytes.")
  }
}
