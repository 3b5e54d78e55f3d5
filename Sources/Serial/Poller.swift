package import SystemPackage
package import Turret

#if canImport(Glibc)
  import Glibc
#elseif canImport(Musl)
  import Musl
#else
  import Darwin
#endif

/// Waits until one of some descriptors is readable, or some time has passed: `pselect`, which takes
/// nanoseconds where `poll` takes milliseconds.
package enum Poller {
  /// `FD_SETSIZE`: descriptors from here on cannot be waited for.
  package static let descriptorMax: CInt = 1_024

  /// Whether all of these can be waited for.
  package static func canWait(for descriptors: [FileDescriptor]) -> Bool {
    descriptors.allSatisfy { $0.rawValue < descriptorMax }
  }

  /// The part of a long wait that the kernel may be late by on Linux: a thousandth, for processes that
  /// are not real-time. So a long wait is cut short and the rest waited for anew.
  private static let slackDivisor: Int64 = 500
  private static let longWait = Interval.milliseconds(20)

  /// Returns the readable ones; none where the time has passed, or where a signal came.
  ///
  /// `timeout` nil: for as long as it takes. It may return a little early without a descriptor: look at
  /// the clock.
  package static func wait(
    _ descriptors: [FileDescriptor], timeout: Interval?
  ) -> [FileDescriptor] {
    var set = fd_set()
    var count: CInt = 0
    withUnsafeMutableBytes(of: &set) { bits in
      for descriptor in descriptors {
        let number = descriptor.rawValue
        precondition(number < descriptorMax, "waited for a descriptor over FD_SETSIZE")
        bits[Int(number) / 8] |= 1 << UInt8(number % 8)
        count = max(count, number + 1)
      }
    }
    let ready: CInt
    if var timeout {
      timeout = max(.zero, timeout)
      if timeout > longWait {
        timeout = Interval(
          nanoseconds: timeout.nanoseconds - timeout.nanoseconds / slackDivisor)
      }
      var limit = timespec(
        tv_sec: Int(timeout.nanoseconds / 1_000_000_000),
        tv_nsec: Int(timeout.nanoseconds % 1_000_000_000))
      ready = pselect(count, &set, nil, nil, &limit, nil)
    } else {
      ready = pselect(count, &set, nil, nil, nil, nil)
    }
    guard ready > 0 else { return [] }
    return withUnsafeBytes(of: &set) { bits in
      descriptors.filter {
        bits[Int($0.rawValue) / 8] & 1 << UInt8($0.rawValue % 8) != 0
      }
    }
  }
}
