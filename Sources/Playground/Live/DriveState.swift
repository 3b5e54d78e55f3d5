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

  init<D>(_ board: LiveBoard<D>) {
    now = board.settled
    activity = board.device.activity
    waitingCount = board.device.waitingCount
    onTheWayCount = board.onTheWayCount
    fault = board.device.fault?.description
    remarks = board.device.remarks
    ledger = board.device.capabilities.reportsFates ? board.ledger : nil
  }
}
