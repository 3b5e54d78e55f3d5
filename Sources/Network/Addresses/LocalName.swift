import Platform

/// This computer's name on the local network, `NAME.local` (mDNS, RFC 6762).
package enum LocalName {
  /// nil if this computer has no name.
  package static var ofThisComputer: String? { hostName.flatMap(named) }

  /// The name that the system gives this computer; nil if it gives none.
  static var hostName: String? {
    // A name has at most 255 bytes (POSIX). A truncated one may have no terminating zero.
    var name = [CChar](repeating: 0, count: 257)
    guard gethostname(&name, name.count - 1) == 0 else { return nil }
    let bytes = name.prefix { $0 != 0 }.map { UInt8(bitPattern: $0) }
    return bytes.isEmpty ? nil : String(decoding: bytes, as: UTF8.self)
  }

  /// The local name of a computer whose host name is `hostName`. It consists of the first part of
  /// that name, in lower case.
  static func named(_ hostName: String) -> String? {
    let label = hostName.prefix { $0 != "." }.lowercased()
    // Many computers are called `localhost`, so it identifies none of them.
    return label.isEmpty || label == "localhost" ? nil : "\(label).local"
  }
}
