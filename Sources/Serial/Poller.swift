import Platform
package import SystemPackage
package import Turret

/// Waits until one of some descriptors is readable, or some time has passed: `pselect`, which takes
/// nanoseconds where `poll` takes milliseconds.
package enum Poller {
  /// The part of a long wait that the kernel may be late by on Linux: a thousandth, for processes
  /// that are not real-time. So a long wait is cut short and the rest waited for anew.
  private static let slackDivisor: Int64 = 500
  private static let longWait = Interval.milliseconds(20)

  /// Blocks until one of the descriptors is readable or a signal arrives; returns those that are
  /// readable.
  @Sendable package static func readable(of descriptors: [CInt]) -> [CInt] {
    wait(descriptors.map(FileDescriptor.init(rawValue:)), timeout: nil).map(\.rawValue)
  }

  /// Returns the readable ones; none where the time has passed, or where a signal came.
  ///
  /// `timeout` nil: for as long as it takes. It may return a little early without a descriptor:
  /// look at the clock.
  package static func wait(
    _ descriptors: [FileDescriptor], timeout: Interval?
  ) -> [FileDescriptor] {
    let count = (descriptors.map(\.rawValue).max() ?? -1) + 1
    // As large as it has to be: an `fd_set` ends at FD_SETSIZE, the system call does not. At least
    // as large as one, as Darwin's may write to all of it.
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
