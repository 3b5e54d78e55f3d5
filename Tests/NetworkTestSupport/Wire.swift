package import Network
import Platform
package import Sketches

/// The other end of a connection, byte for byte. It can do what a client must not do.
package final class Wire {
  package struct Refused: Error {}

  private let descriptor: CInt

  /// - Parameters:
  ///   - receiveBufferBytes: with a small one, the server soon notices that a client does not read.
  ///   - sendTime: how long sending waits for a server that does not read.
  package init(
    _ endpoint: Endpoint, receiveBufferBytes: CInt? = nil, sendTime: Interval = .seconds(10)
  ) throws {
    let isSix = endpoint.host.contains(":")
    descriptor = socket(isSix ? AF_INET6 : AF_INET, streamSocket, 0)
    var seconds = timeval(tv_sec: 10, tv_usec: 0)
    setsockopt(descriptor, SOL_SOCKET, SO_RCVTIMEO, &seconds, socklen_t(MemoryLayout<timeval>.size))
    var time = timeval(
      tv_sec: time_t(sendTime.nanoseconds / 1_000_000_000),
      tv_usec: suseconds_t(sendTime.nanoseconds % 1_000_000_000 / 1_000))
    setsockopt(descriptor, SOL_SOCKET, SO_SNDTIMEO, &time, socklen_t(MemoryLayout<timeval>.size))
    if var bytes = receiveBufferBytes {
      setsockopt(descriptor, SOL_SOCKET, SO_RCVBUF, &bytes, socklen_t(MemoryLayout<CInt>.size))
    }
    let status: CInt
    if isSix {
      var address = sockaddr_in6()
      address.sin6_family = sa_family_t(AF_INET6)
      address.sin6_port = in_port_t(endpoint.port).bigEndian
      inet_pton(AF_INET6, endpoint.host, &address.sin6_addr)
      status = withUnsafePointer(to: &address) {
        $0.withMemoryRebound(to: sockaddr.self, capacity: 1) {
          connect(descriptor, $0, socklen_t(MemoryLayout<sockaddr_in6>.size))
        }
      }
    } else {
      var address = sockaddr_in()
      address.sin_family = sa_family_t(AF_INET)
      address.sin_port = in_port_t(endpoint.port).bigEndian
      inet_pton(AF_INET, endpoint.host, &address.sin_addr)
      status = withUnsafePointer(to: &address) {
        $0.withMemoryRebound(to: sockaddr.self, capacity: 1) {
          connect(descriptor, $0, socklen_t(MemoryLayout<sockaddr_in>.size))
        }
      }
    }
    // The descriptor is closed by deinit, which also runs after an error here.
    guard status == 0 else { throw Refused() }
  }

  deinit { close(descriptor) }

  /// Returns false if the server did not take all bytes.
  @discardableResult
  package func send(_ bytes: [UInt8]) -> Bool {
    var rest = bytes[...]
    while !rest.isEmpty {
      let count = rest.withUnsafeBytes {
        #if canImport(Darwin)
          Platform.send(descriptor, $0.baseAddress, $0.count, 0)
        #else
          Platform.send(descriptor, $0.baseAddress, $0.count, CInt(MSG_NOSIGNAL))
        #endif
      }
      guard count > 0 else { return false }
      rest = rest.dropFirst(count)
    }
    return true
  }

  package func send(_ text: String) { send(Array(text.utf8)) }

  /// Ends sending, but can still read.
  package func finishSending() { shutdown(descriptor, CInt(SHUT_WR)) }

  /// Receives `count` bytes, or fewer if the connection ends before.
  package func receive(_ count: Int) -> [UInt8] {
    var bytes: [UInt8] = []
    while bytes.count < count, let more = next(count - bytes.count) { bytes += more }
    return bytes
  }

  /// Receives up to and including `end`.
  package func receive(through end: String) -> String {
    var bytes: [UInt8] = []
    let end = Array(end.utf8)
    while !bytes.suffix(end.count).elementsEqual(end), let more = next(1) { bytes += more }
    return String(decoding: bytes, as: UTF8.self)
  }

  /// Receives everything until the other end closes; ten seconds without data count as that.
  package func receiveAll() -> [UInt8] {
    var bytes: [UInt8] = []
    while let more = next(65_536) { bytes += more }
    return bytes
  }

  package func receiveText() -> String { String(decoding: receiveAll(), as: UTF8.self) }

  private func next(_ count: Int) -> [UInt8]? {
    let bytes = [UInt8](unsafeUninitializedCapacity: count) { buffer, initialized in
      initialized = max(recv(descriptor, buffer.baseAddress, count, 0), 0)
    }
    return bytes.isEmpty ? nil : bytes
  }

  // MARK: WebSocket

  package static func handshake(_ path: String = "/") -> String {
    """
    GET \(path) HTTP/1.1\r
    Host: pi\r
    Upgrade: websocket\r
    Connection: Upgrade\r
    Sec-WebSocket-Key: dGhlIHNhbXBsZSBub25jZQ==\r
    Sec-WebSocket-Version: 13\r
    \r\n
    """
  }

  /// A connection after its handshake.
  package static func webSocket(
    _ endpoint: Endpoint, _ path: String = "/", receiveBufferBytes: CInt? = nil,
    sendTime: Interval = .seconds(10)
  ) throws -> Wire {
    let wire = try Wire(endpoint, receiveBufferBytes: receiveBufferBytes, sendTime: sendTime)
    wire.send(handshake(path))
    guard wire.receive(through: "\r\n\r\n").hasPrefix("HTTP/1.1 101 ") else { throw Refused() }
    return wire
  }

  /// The next frame's first byte and payload; empty pings are skipped. nil at the end.
  package func frame() -> (first: UInt8, payload: [UInt8])? {
    while true {
      let head = receive(2)
      guard head.count == 2 else { return nil }
      var count = Int(head[1])
      if count >= 126 {
        count = receive(count == 126 ? 2 : 8).reduce(0) { $0 << 8 | Int($1) }
      }
      let payload = receive(count)
      if head[0] != 0x89 { return (head[0], payload) }
    }
  }

  /// The code of the close frame, if that is the next frame, and whether the connection then ends.
  package func closing() -> (code: UInt16?, ends: Bool) {
    guard let frame = frame(), frame.first == 0x88 else { return (nil, false) }
    let code =
      frame.payload.count >= 2
      ? UInt16(frame.payload[0]) << 8 | UInt16(frame.payload[1]) : nil
    return (code, receive(1).isEmpty)
  }
}
