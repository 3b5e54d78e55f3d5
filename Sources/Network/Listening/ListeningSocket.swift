package import NIOCore
import Platform
import SystemPackage

/// A socket that listens at one address. Connections wait in the kernel until a server accepts
/// them. Closed when released, unless a server has taken it.
package final class ListeningSocket {
  /// How many connections can wait.
  static let backlog: CInt = 256
  /// The kernel's buffers for one connection, in each direction, in bytes. By default they grow to
  /// megabytes for a client that does not read.
  private static let kernelBufferBytes: CInt = 131_072

  private var descriptor: CInt?
  /// The actual address; a port of 0 has been replaced by the one chosen.
  package private(set) var address: SocketAddress

  private init(_ address: SocketAddress) throws(Errno) {
    self.address = address
    let descriptor = socket(CInt(address.protocol.rawValue), streamSocket, 0)
    guard descriptor >= 0 else { throw Errno(rawValue: errno) }
    self.descriptor = descriptor
    _ = fcntl(descriptor, F_SETFD, FD_CLOEXEC)
    try configure(descriptor)
    guard address.withSockAddr({ bind(descriptor, $0, socklen_t($1)) }) == 0,
      listen(descriptor, Self.backlog) == 0
    else { throw Errno(rawValue: errno) }
    if address.port == 0 { self.address.port = Int(try Self.port(of: descriptor)) }
  }

  deinit { if let descriptor { close(descriptor) } }

  /// Hands the socket over. The caller closes it.
  package func take() -> CInt? { descriptor.take() }

  private func configure(_ descriptor: CInt) throws(Errno) {
    // The unspecified IPv6 address includes IPv4.
    if address.protocol == .inet6 {
      do {
        try Self.set(CInt(IPPROTO_IPV6), IPV6_V6ONLY, 0, on: descriptor)
      } catch {
        guard error == .addressFamilyNotSupported else { throw error }
      }
    }
    try Self.set(SOL_SOCKET, SO_REUSEADDR, 1, on: descriptor)
    // Accepted connections inherit these options.
    try Self.set(SOL_SOCKET, SO_RCVBUF, Self.kernelBufferBytes, on: descriptor)
    try Self.set(SOL_SOCKET, SO_SNDBUF, Self.kernelBufferBytes, on: descriptor)
  }

  private static func set(
    _ level: CInt, _ name: CInt, _ value: CInt, on descriptor: CInt
  ) throws(Errno) {
    var value = value
    let size = socklen_t(MemoryLayout<CInt>.size)
    guard setsockopt(descriptor, level, name, &value, size) == 0 else {
      throw Errno(rawValue: errno)
    }
  }

  private static func port(of descriptor: CInt) throws(Errno) -> UInt16 {
    var storage = sockaddr_storage()
    var size = socklen_t(MemoryLayout<sockaddr_storage>.size)
    let status = withUnsafeMutablePointer(to: &storage) {
      $0.withMemoryRebound(to: sockaddr.self, capacity: 1) { getsockname(descriptor, $0, &size) }
    }
    guard status == 0 else { throw Errno(rawValue: errno) }
    // The port follows the family's two bytes, for IPv4 and for IPv6.
    return withUnsafeBytes(of: storage) {
      UInt16(bigEndian: $0.loadUnaligned(fromByteOffset: 2, as: UInt16.self))
    }
  }
}

extension ListeningSocket {
  /// Listens on each endpoint in turn; for a name, on all its addresses. If one is not available,
  /// those before it are closed again.
  package static func open(_ endpoints: [Endpoint]) throws(NetworkError) -> [ListeningSocket] {
    var opened: [ListeningSocket] = []
    for endpoint in endpoints {
      for (index, address) in try endpoint.resolved().enumerated() {
        var address = address
        // Once a free port has been found, it is used for all addresses of the name.
        if endpoint.port == 0, index > 0 { address.port = opened.last?.address.port }
        do throws(Errno) {
          opened.append(try ListeningSocket(address))
        } catch {
          // `localhost` may have an address in a family that this computer does not support.
          if index > 0, [.addressNotAvailable, .addressFamilyNotSupported].contains(error) {
            continue
          }
          throw NetworkError(.unavailable, "error: cannot listen on \(endpoint): \(error)")
        }
      }
    }
    return opened
  }
}
