import Devices
import Gateway
import RemotePorts
import Serial
import Turret

// Output: the board's bytes to the senders, the picture to the view and the dashboards.
extension LiveBench {
  /// Reports the device's remarks about its program.
  func reportRemarks() {
    let remarks = session.device.remarks
    guard remarks.count > reportedRemarkCount else { return }
    for remark in remarks[reportedRemarkCount...] { report(remark) }
    reportedRemarkCount = remarks.count
  }

  /// Delivers the board's bytes to the senders. `isCounted` is whether they also become events.
  func deliver(by now: Instant, isCounted: Bool) throws(Failure) {
    let emitted = outputs.toSender.take(by: now)
    let bytes = session.takeForSender() ?? emitted
    guard !bytes.isEmpty else { return }
    if !isCounted { outputs.put(transmitted: bytes, by: now) }
    network?.deliver(bytes)
    guard pty != nil || remote != nil else { return }
    do throws(SerialError) {
      let count = max(remote?.write(bytes) ?? 0, try pty?.write(bytes) ?? 0)
      unread += bytes.count - count
      if pty?.isOpen == true || remote?.isOpen == true, count < bytes.count, !hasReportedUnread {
        hasReportedUnread = true
        report("The sender does not read the board's output; it is lost from here on.")
      }
    } catch {
      throw Failure(error)
    }
  }

  /// Sets what the network's status requests report.
  func setStatus() {
    network?.benchStatus.boardFailure = session.device.fault?.description
    network?.benchStatus.degrees = outputs.counts.degrees
    network?.benchStatus.recording = outputs.recordingHealth
  }

  /// Shows the state on the dashboards.
  func showDashboards(at now: Instant) {
    guard let network, network.dashboards.isWatched,
      let message = outputs.dashboard?.message(
        of: session, outputs.counts, lateness: pacer.lateness,
        withHistory: network.dashboards.needsHistory, at: now)
    else { return }
    network.show(message)
  }

  func draw(at now: Instant) {
    view?.draw(
      session, outputs.counts,
      clients: (pty?.clientCount ?? 0) + (remote?.isOpen == true ? 1 : 0)
        + (network?.clientCount ?? 0),
      unread: unread,
      lateness: pacer.lateness, at: now)
  }
}
