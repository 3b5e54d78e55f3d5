import SystemPackage

#if canImport(Glibc)
  import Glibc
#elseif canImport(Musl)
  import Musl
#else
  import Darwin
#endif

/// What `pselect` takes and gives: one bit a descriptor. As large as it has to be: an `fd_set` ends at
/// FD_SETSIZE, the system call does not.
struct DescriptorSet {
  private var bits: [UInt64]

  /// With room for descriptors below `count`.
  init(_ descriptors: [FileDescriptor], count: Int) {
    // At least as large as an `fd_set`: Darwin's call may write to all of it.
    bits = [UInt64](
      repeating: 0, count: max((count + 63) / 64, MemoryLayout<fd_set>.size / 8))
    for descriptor in descriptors {
      let number = Int(descriptor.rawValue)
      bits[number / 64] |= 1 << UInt64(number % 64)
    }
  }

  func contains(_ descriptor: FileDescriptor) -> Bool {
    let number = Int(descriptor.rawValue)
    return bits[number / 64] & 1 << UInt64(number % 64) != 0
  }

  mutating func withPointer<Result>(_ body: (UnsafeMutablePointer<fd_set>?) -> Result) -> Result {
    bits.withUnsafeMutableBytes { body($0.baseAddress?.assumingMemoryBound(to: fd_set.self)) }
  }
}
