import ComPort
import Devices
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
    let speed = min(senderBaud, remoteBaud, remote?.slowestWaiting ?? remoteBaud)
    return min(max(64, plan.baud / 250), max(2, speed / 20))
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
    case .format(let format): remoteFormat = format
    case .bytes(let bytes):
      // A UART whose line is held low still takes bytes, but they do not reach the line.
      guard !isInBreak else { return }
      if remoteBaud != senderBaud { changeSpeed(to: remoteBaud) }
      if remoteFormat != senderFormat { changeFormat(to: remoteFormat) }
      receive(bytes)
    case .breakBegan:
      isInBreak = true
      take(.senderBreak(Self.breakMax))
    case .breakEnded:
      isInBreak = false
      take(.senderBreak(.zero))
    }
  }

  /// How long a break can last. Its end is a break of no length, since it is not known before.
  static var breakMax: Interval { .seconds(3_600) }

  func changeFormat(to format: LineFormat) {
    senderFormat = format
    take(.format(format))
    let board = session.device.receivingFormat
    // A receiver does not see a second stop bit.
    let isUnderstood = format.received == board.received
    defer { hasReportedFormat = !isUnderstood }
    guard plan.isVerbose || isUnderstood == hasReportedFormat else { return }
    report(
      isUnderstood
        ? "The sender sends \(format), as the board expects."
        : "The sender sends \(format), the board expects \(board): it receives what it samples of "
          + "each frame.")
  }

  /// Sends from now on in the format that the board expects. The programs at a pty and in the
  /// network have no format that the bench can see.
  func adoptFormat() {
    let board = session.device.receivingFormat
    guard senderFormat.received != board.received else { return }
    senderFormat = board.received
    take(.format(senderFormat))
    guard !hasReportedAdoption, pty?.isOpen == true else { return }
    hasReportedAdoption = true
    report(
      "The board expects \(senderFormat). A pty carries neither the data size nor the parity nor a "
        + "break, so the sender is taken to send \(senderFormat) too; --rfc2217 carries them.")
  }

  /// Reports once that the client of the port over TCP reads in another format than the board's.
  func reportReading(in format: LineFormat, from board: LineFormat) {
    guard format.received != board.received else {
      reportedReading = nil
      return
    }
    guard reportedReading != format, reportedReading == nil || plan.isVerbose else { return }
    reportedReading = format
    report(
      "The RFC 2217 client reads \(format), the board sends \(board): the client receives what its "
        + "UART samples.")
  }

  func changeSpeed(to baud: Int) {
    let bauds = SerialLine.bauds
    senderBaud = min(max(baud, bauds.lowerBound), bauds.upperBound)
    take(.baud(senderBaud))
    guard senderBaud != boardBaud else {
      reportedBaud = nil
      return report("The sender writes at \(senderBaud) baud again.")
    }
    reportedBaud = senderBaud
    report(WrongSpeed(.writing, sender: senderBaud, board: boardBaud))
  }

  /// The speed of the board's port, in bits a second: the session's, unless the program has set
  /// another one.
  var boardBaud: Int {
    guard let baud = session.device.sendingBaud, session.device.capabilities.clock == .device,
      !PortReceiver.isSame(baud, as: plan.baud)
    else { return plan.baud }
    return baud
  }

  /// Reports that a program reads at a wrong speed, unless that speed was the last one reported.
  func reportGarbled(to baud: Int, from sent: Int) {
    guard baud != reportedBaud else { return }
    reportedBaud = baud
    let board = PortReceiver.isSame(sent, as: plan.baud) ? plan.baud : sent
    let wrong = WrongSpeed(.reading, sender: baud, board: board)
    outputs.note(wrong)
    report(wrong)
  }

  private func report(_ wrong: WrongSpeed) {
    let garbles = wrong.garbles
    let isFirst = wrongSpeed.map { $0.direction == .reading && wrong.direction == .writing } ?? true
    if garbles, isFirst { wrongSpeed = wrong }
    let sentence = wrong.text.prefix(1).uppercased() + wrong.text.dropFirst()
    report(
      sentence
        + (garbles
          ? ": it receives garbled bytes." : "; that is near enough for every byte to arrive."))
  }
}
