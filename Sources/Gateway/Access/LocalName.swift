#if canImport(Glibc)
  import Glibc
#elseif canImport(Musl)
  import Musl
#else
  import Darwin
#endif

/// This computer's name on the local network, `NAME.local` (mDNS, RFC 6762).
package enum LocalName {
  /// nil: this computer has no name of its own.
  package static var ofThisComputer: String? {
    // A name has 255 bytes at most (POSIX); one that was cut need not end with a zero.
    var name = [CChar](repeating: 0, count: 257)
    guard gethostname(&name, name.count - 1) == 0 else { return nil }
    let bytes = name.prefix { $0 != 0 }.map { UInt8(bitPattern: $0) }
    return named(String(decoding: bytes, as: UTF8.self))
  }

  /// The name of a computer that the system calls `hostName`, in small letters: only its first part
  /// is used.
  static func named(_ hostName: String) -> String? {
    let label = hostName.prefix { $0 != "." }.lowercased()
    // Many computers are called `localhost`: it is the name of none.
    return label.isEmpty || label == "localhost" ? nil : "\(label).local"
  }
}
