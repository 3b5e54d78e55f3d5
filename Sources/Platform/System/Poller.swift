package import Sketches
package import SystemPackage

/// Waits until one of several descriptors is readable or a timeout has passed. Uses `pselect`,
/// which takes nanoseconds where `poll` takes milliseconds.
package enum Poller {
  /// Limits how late a long wait can end. On Linux the kernel can end it late by a thousandth of
  /// its duration if the process is not a real-time one. So a long wait is shortened, and a second
  /// wait follows for the rest.
  private static let slackDivisor: Int64 = 500
  private static let longWait = Interval.milliseconds(20)

  /// Blocks until one of the descriptors is readable or a signal arrives; returns those that are
  /// readable.
  @Sendable package static func readable(of descriptors: [CInt]) -> [CInt] {
    wait(descriptors.map(FileDescriptor.init(rawValue:)), timeout: nil).map(\.rawValue)
  }

  /// Returns the readable descriptors; none if the timeout has passed or a signal arrived.
  ///
  /// Without a `timeout` it waits indefinitely. It can return slightly early without a descriptor,
  /// so callers must check the clock.
  package static func wait(
    _ descriptors: [FileDescriptor], timeout: Interval?
  ) -> [FileDescriptor] {
    let count = (descriptors.map(\.rawValue).max() ?? -1) + 1
    // As large as necessary: an `fd_set` is limited to FD_SETSIZE, the system call is not. At least
    // as large as an `fd_set`, since Darwin's system call may write to all of it.
    let size = max(Int(count) / 64 + 1, MemoryLayout<fd_set>.size / 8)
    var set = [UInt64](repeating: 0, count: size)
    for descriptor in descriptors {
      let number = Int(descriptor.rawValue)
      set[number / 64] |= 1 << UInt64(number % 64)
    }
    let ready = set.withUnsafeMutableBytes { bits in
      select(bits.baseAddress?.assumingMemoryBound(to: fd_set.self), count, timeout)
    }
    guard ready > 0 else { return [] }
    return descriptors.filter {
      let number = Int($0.rawValue)
      return set[number / 64] & 1 << UInt64(number % 64) != 0
    }
  }

  private static func select(
    _ set: UnsafeMutablePointer<fd_set>?, _ count: CInt, _ timeout: Interval?
  ) -> CInt {
    if var timeout {
      timeout = max(.zero, timeout)
      if timeout > longWait {
        timeout = Interval(
          nanoseconds: timeout.nanoseconds - timeout.nanoseconds / slackDivisor)
      }
      var limit = timespec(
        tv_sec: Int(timeout.nanoseconds / 1_000_000_000),
        tv_nsec: Int(timeout.nanoseconds % 1_000_000_000))
      return pselect(count, set, nil, nil, &limit, nil)
    }
    return pselect(count, set, nil, nil, nil, nil)
  }
}
