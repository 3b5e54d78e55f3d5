import Devices
import Engine
import Gateway
import RemotePorts
import Serial
import Turret

// Output: the board's bytes to the senders, the picture to the view and the dashboards.
extension LiveBench {
  /// Delivers the board's bytes to the senders. `isCounted` is whether they also become events.
  func deliver(by now: Instant, isCounted: Bool) throws(Failure) {
    let emitted = outputs.toSender.take(by: now)
    let sent = session.takeForSender() ?? emitted
    if !sent.isEmpty {
      if !isCounted { outputs.put(transmitted: sent.bytes, by: now) }
      network?.deliver(sent.bytes)
    }
    guard pty != nil || remote != nil else { return }
    let lost = min(deliverToRemote(sent, by: now), try deliverToPty(sent, by: now))
    guard lost > 0 else { return }
    unread += lost
    if pty?.isOpen == true || remote?.isOpen == true, !hasReportedUnread {
      hasReportedUnread = true
      report("The sender does not read the board's output; it is lost from here on.")
    }
  }

  /// Returns the number of bytes that the pty had no room for. All of them if it is not open.
  private func deliverToPty(_ sent: SentBytes, by now: Instant) throws(Failure) -> Int {
    guard pty?.isOpen == true, let baud = pty?.readerBaud else { return sent.bytes.count }
    // A pty does not carry the format that its program has set, so it is taken to be the board's.
    let bytes = ptyReceiver.receive(sent, at: baud, in: sent.format, by: now)
    if ptyReceiver.hasGarbled {
      ptyReceiver.hasGarbled = false
      session.noteGarbled(at: baud, from: sent.baud)
      carryOutEffects()
    }
    guard !bytes.isEmpty else { return 0 }
    return try Failure.ofPort { () throws(SerialError) in
      bytes.count - (try pty?.write(bytes) ?? 0)
    }
  }

  /// Returns the number of bytes that the client of the port over TCP had no room for. All of them
  /// if there is none.
  private func deliverToRemote(_ sent: SentBytes, by now: Instant) -> Int {
    guard let remote, let baud = remote.readerBaud else { return sent.bytes.count }
    let format = remote.readerFormat
    if !sent.isEmpty { session.noteReading(in: format, from: sent.format) }
    let bytes = remoteReceiver.receive(sent, at: baud, in: format, by: now)
    if remoteReceiver.hasGarbled {
      remoteReceiver.hasGarbled = false
      if !PortReceiver.isSame(baud, as: sent.baud) {
        session.noteGarbled(at: baud, from: sent.baud)
      }
    }
    carryOutEffects()
    return bytes.isEmpty ? 0 : bytes.count - remote.write(bytes)
  }

  /// Sets what the network's status requests report.
  func setStatus() {
    network?.benchStatus.boardFailure = session.device.fault?.description
    network?.benchStatus.degrees = outputs.counts.degrees
    network?.benchStatus.recording = outputs.recordingHealth
  }

  /// Reports a board that is slower than real time, when the clock's present is `clock`.
  func reportBacklog(at clock: Instant) {
    backlog.note(session.isBehind ? clock - session.now : .zero)
    if let line = backlog.takeReport() { report(line) }
  }

  /// Shows the state at `now` on the dashboards, when the clock's present is `clock`.
  func showDashboards(at now: Instant, _ clock: Instant) {
    guard let network, network.dashboards.isWatched,
      let message = outputs.dashboard?.message(
        of: session, outputs.counts, lateness: pacer.lateness,
        withHistory: network.dashboards.needsHistory, at: now, clock: clock)
    else { return }
    network.show(message)
  }

  func draw(at now: Instant, _ clock: Instant) {
    view?.draw(
      session, outputs.counts,
      clients: (pty?.clientCount ?? 0) + (remote?.isOpen == true ? 1 : 0)
        + (network?.clientCount ?? 0),
      unread: unread,
      lateness: pacer.lateness, behind: backlog.behind, at: now, clock: clock)
  }
}
