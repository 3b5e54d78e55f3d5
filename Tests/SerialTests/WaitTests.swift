import Platform
import Sketches
import SystemPackage
import Testing

struct WaitTests {
  /// Numbers that do not fit into an `fd_set`.
  private static let high: [CInt] = [1_023, 1_024, 1_025, 1_100]

  private static var limit: rlimit {
    var limit = rlimit()
    #if canImport(Glibc)
      getrlimit(__rlimit_resource_t(RLIMIT_NOFILE.rawValue), &limit)
    #else
      getrlimit(RLIMIT_NOFILE, &limit)
    #endif
    return limit
  }

  private static func set(_ limit: rlimit) {
    var limit = limit
    #if canImport(Glibc)
      setrlimit(__rlimit_resource_t(RLIMIT_NOFILE.rawValue), &limit)
    #else
      setrlimit(RLIMIT_NOFILE, &limit)
    #endif
  }

  private static var isAllowed: Bool { limit.rlim_max > 1_200 }

  @Test(.enabled(if: isAllowed, "the hard limit of open files is over 1 200"), arguments: high)
  func `The system waits for a descriptor of any number`(number: CInt) throws {
    let old = Self.limit
    if old.rlim_cur <= 1_200 {
      var raised = old
      raised.rlim_cur = 1_200
      Self.set(raised)
    }
    let pipe = try FileDescriptor.pipe()
    let other = try FileDescriptor.pipe()
    // The next free number from there.
    let copy = FileDescriptor(rawValue: fcntl(pipe.readEnd.rawValue, F_DUPFD_CLOEXEC, number))
    try #require(copy.rawValue >= number)
    defer {
      for end in [pipe.readEnd, pipe.writeEnd, other.readEnd, other.writeEnd, copy] {
        try? end.close()
      }
    }
    func ready(_ ends: FileDescriptor..., within timeout: Interval) -> [CInt] {
      HostSystem.shared.wait(for: ends.map(\.rawValue), timeout: timeout)
    }
    #expect(ready(copy, other.readEnd, within: .zero) == [])
    try pipe.writeEnd.writeAll([1])
    #expect(ready(other.readEnd, copy, within: .seconds(10)) == [copy.rawValue])
    try other.writeEnd.writeAll([1])
    let both = [other.readEnd.rawValue, copy.rawValue]
    #expect(ready(other.readEnd, copy, within: .seconds(10)) == both)
    #expect(ready(within: .milliseconds(1)) == [])
  }
}
