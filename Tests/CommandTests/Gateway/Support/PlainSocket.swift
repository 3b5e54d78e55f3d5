import Platform

/// A blocking TCP connection to this computer. If a read takes more than ten seconds, the
/// connection counts as ended.
struct PlainSocket: ~Copyable {
  struct Refused: Error { var errno: Int32 }

  private let descriptor: Int32

  init(port: UInt16) throws {
    #if canImport(Darwin)
      let kind = SOCK_STREAM
    #else
      let kind = Int32(SOCK_STREAM.rawValue)
    #endif
    descriptor = socket(AF_INET, kind, 0)
    var patience = timeval(tv_sec: 10, tv_usec: 0)
    let size = socklen_t(MemoryLayout<timeval>.size)
    setsockopt(descriptor, SOL_SOCKET, SO_RCVTIMEO, &patience, size)
    setsockopt(descriptor, SOL_SOCKET, SO_SNDTIMEO, &patience, size)
    var address = sockaddr_in()
    address.sin_family = sa_family_t(AF_INET)
    address.sin_port = port.bigEndian
    address.sin_addr.s_addr = UInt32(0x7F00_0001).bigEndian
    let status = withUnsafePointer(to: &address) {
      $0.withMemoryRebound(to: sockaddr.self, capacity: 1) {
        connect(descriptor, $0, socklen_t(MemoryLayout<sockaddr_in>.size))
      }
    }
    guard status == 0 else { throw Refused(errno: errno) }
  }

  deinit { close(descriptor) }

  func write(_ bytes: some Sequence<UInt8>) {
    let bytes = Array(bytes)
    var done = 0
    while done < bytes.count {
      let count = bytes[done...].withUnsafeBytes {
        send(descriptor, $0.baseAddress, $0.count, Int32(MSG_NOSIGNAL))
      }
      guard count > 0 else { return }
      done += count
    }
  }

  /// Writes as much as is accepted at once. Returns the number of bytes.
  func offer(_ bytes: [UInt8]) -> Int {
    max(
      0,
      bytes.withUnsafeBytes {
        send(descriptor, $0.baseAddress, $0.count, Int32(MSG_NOSIGNAL) | Int32(MSG_DONTWAIT))
      })
  }

  /// Makes the connection end with a reset.
  func endWithReset() {
    var option = linger(l_onoff: 1, l_linger: 0)
    setsockopt(
      descriptor, SOL_SOCKET, SO_LINGER, &option, socklen_t(MemoryLayout<linger>.size))
  }

  /// Reads this many bytes, or fewer at the end of the connection.
  func read(_ count: Int) -> [UInt8] {
    var bytes: [UInt8] = []
    while bytes.count < count {
      var part = [UInt8](repeating: 0, count: count - bytes.count)
      let got = recv(descriptor, &part, part.count, 0)
      guard got > 0 else { break }
      bytes += part[..<got]
    }
    return bytes
  }

  /// Reads up to and including a text, or to the end of the connection.
  func read(through end: String) -> String {
    var bytes: [UInt8] = []
    let end = Array(end.utf8)
    while !bytes.suffix(end.count).elementsEqual(end) {
      let next = read(1)
      guard !next.isEmpty else { break }
      bytes += next
    }
    return String(decoding: bytes, as: UTF8.self)
  }

  /// Reads to the end of the connection, and discards the bytes.
  func readToEnd() {
    var part = [UInt8](repeating: 0, count: 4_096)
    while recv(descriptor, &part, part.count, 0) > 0 {}
  }

  /// Returns whether the connection ends without more bytes.
  func isAtEnd() -> Bool { read(1).isEmpty }
}
