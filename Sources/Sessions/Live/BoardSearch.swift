import Devices
import Platform
import Traces
import Turret

/// The search for an unplugged board, in a session that continues without it.
struct BoardSearch<Source: DeviceSource> {
  let source: Source
  let header: Header
  let firmware: Firmware

  /// Returns the board, which has just restarted, for a session whose time 0 was at `origin`; nil
  /// if it is not back.
  func find(since origin: HostTime) -> Source.Made? {
    try? source.rejoin(for: header, firmware: firmware, since: origin)
  }
}
