package import SystemPackage
package import Turret

#if canImport(Glibc)
  import Glibc
#elseif canImport(Musl)
  import Musl
#else
  import Darwin
#endif

/// Waits until one of some descriptors is ready, or some time has passed: `pselect`, which takes
/// nanoseconds where `poll` takes milliseconds.
package enum Poller {
  /// The part of a long wait that the kernel may be late by on Linux: a thousandth, for processes that
  /// are not real-time. So a long wait is cut short and the rest waited for anew.
  private static let slackDivisor: Int64 = 500
  private static let longWait = Interval.milliseconds(20)

  /// Returns those that are readable, and `writing` where it takes bytes; none where the time has passed,
  /// or where a signal came.
  ///
  /// `timeout` nil: for as long as it takes. It may return a little early without a descriptor: look at
  /// the clock.
  package static func wait(
    _ descriptors: [FileDescriptor], writing: FileDescriptor? = nil, timeout: Interval?
  ) -> [FileDescriptor] {
    let writers = writing.map { [$0] } ?? []
    let count = Int((descriptors + writers).map(\.rawValue).max() ?? -1) + 1
    var readable = DescriptorSet(descriptors, count: count)
    var writable = DescriptorSet(writers, count: count)
    let ready = readable.withPointer { readable in
      writable.withPointer { select(readable, $0, CInt(count), timeout) }
    }
    guard ready > 0 else { return [] }
    return descriptors.filter(readable.contains) + writers.filter(writable.contains)
  }

  private static func select(
    _ readable: UnsafeMutablePointer<fd_set>?, _ writable: UnsafeMutablePointer<fd_set>?,
    _ count: CInt, _ timeout: Interval?
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
      return pselect(count, readable, writable, nil, &limit, nil)
    }
    return pselect(count, readable, writable, nil, nil, nil)
  }
}
