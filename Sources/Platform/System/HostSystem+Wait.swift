package import Sketches

// Waiting for several descriptors. Uses `pselect`, which takes nanoseconds where `poll` takes
// milliseconds.
extension HostSystem {
  /// Limits how late a long wait can end. On Linux the kernel can end it late by a thousandth of
  /// its duration if the process is not a real-time one. So a long wait is shortened, and a second
  /// wait follows for the rest.
  private static let slackDivisor: Int64 = 500
  private static let longWait = Interval.milliseconds(20)

  package func wait(for descriptors: [CInt], timeout: Interval?) -> [CInt] {
    let count = (descriptors.max() ?? -1) + 1
    // As large as necessary: an `fd_set` is limited to FD_SETSIZE, the system call is not. At least
    // as large as an `fd_set`, since Darwin's system call may write to all of it.
    let size = max(Int(count) / 64 + 1, MemoryLayout<fd_set>.size / 8)
    var set = [UInt64](repeating: 0, count: size)
    for descriptor in descriptors {
      let number = Int(descriptor)
      set[number / 64] |= 1 << UInt64(number % 64)
    }
    let ready = set.withUnsafeMutableBytes { bits in
      Self.select(bits.baseAddress?.assumingMemoryBound(to: fd_set.self), count, timeout)
    }
    guard ready > 0 else { return [] }
    return descriptors.filter {
      let number = Int($0)
      return set[number / 64] & 1 << UInt64(number % 64) != 0
    }
  }

  private static func select(
    _ set: UnsafeMutablePointer<fd_set>?, _ count: CInt, _ timeout: Interval?
  ) -> CInt {
    if var timeout {
      timeout = max(.zero, timeout)
      if timeout > longWait {
        timeout = Interval(nanoseconds: timeout.nanoseconds - timeout.nanoseconds / slackDivisor)
      }
      var limit = timespec(
        tv_sec: Int(timeout.nanoseconds / 1_000_000_000),
        tv_nsec: Int(timeout.nanoseconds % 1_000_000_000))
      return pselect(count, set, nil, nil, &limit, nil)
    }
    return pselect(count, set, nil, nil, nil, nil)
  }
}
