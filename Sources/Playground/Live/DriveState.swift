import Devices
import Engine
import Turret

/// What the page shows of any device.
struct DriveState {
  /// The time up to which everything is known.
  let now: Instant
  let activity: Activity?
  let waitingCount: Int?
  let onTheWayCount: Int
  let fault: String?
  let remarks: [String]
  /// The fates of the last bytes; nil if the device does not report them.
  let ledger: Ledger?

  init<D>(_ session: Session<D>) {
    now = session.settled
    activity = session.device.activity
    waitingCount = session.device.waitingCount
    onTheWayCount = session.onTheWayCount
    fault = session.device.fault?.description
    remarks = session.device.remarks
    ledger = session.device.capabilities.reportsFates ? session.ledger : nil
  }
}
