import NIOCore
import Networking
import Platform
import Serial
import SystemPackage
import Turret

/// A connected, nonblocking TCP socket. It is closed when released.
///
/// It is not a SwiftNIO channel, because a port is read and written in the turns of the bench, in
/// the same way as a pty, with and without an event loop.
final class TCPStream: Sendable {
  enum Received: Hashable {
    case bytes([UInt8])
    case nothing
    /// The other end has closed the connection, or it failed.
    case ended
  }

  /// How long nothing can arrive from the other end, not even the kernel's acknowledgements, until
  /// the connection ends. A client keeps the port from others, so its end must be noticed within
  /// 2 s, of which half a second can pass before anything is sent to it.
  private static let serverSilenceMax = Interval.seconds(30)
  private static let clientSilenceMax = Interval.milliseconds(1_400)

  let descriptor: CInt
  /// The address of the other end.
  let peer: String

  /// Takes over a socket.
  private init(_ descriptor: CInt, peer: String, silenceMax: Interval) {
    self.descriptor = descriptor
    self.peer = peer
    Self.configure(descriptor, silenceMax)
  }

  deinit { _ = closeSocket(descriptor) }

  /// Accepts a connection that waits at a listening socket; nil if there is none. Throws if the
  /// system has no descriptor or memory for it.
  static func accept(from listener: CInt) throws(Errno) -> TCPStream? {
    var storage = sockaddr_storage()
    var size = socklen_t(MemoryLayout<sockaddr_storage>.size)
    let number = withUnsafeMutablePointer(to: &storage) {
      $0.withMemoryRebound(to: sockaddr.self, capacity: 1) {
        acceptConnection(listener, $0, &size)
      }
    }
    if number >= 0 {
      return TCPStream(number, peer: name(of: storage), silenceMax: clientSilenceMax)
    }
    let cause = Errno(rawValue: errno)
    guard [.tooManyOpenFiles, .tooManyOpenFilesInSystem, .noBufferSpace, .noMemory].contains(cause)
    else { return nil }
    throw cause
  }

  /// Connects to the first of the host's addresses that answers in time.
  static func connect(
    to endpoint: Endpoint, within patience: Interval
  ) throws(SerialError) -> TCPStream {
    let name = "rfc2217://\(endpoint)"
    let addresses: [SocketAddress]
    do throws(NetworkError) {
      addresses = try endpoint.resolved(to: "connect to")
    } catch {
      throw SerialError(.unavailable, path: name, "the host has no address that can be found")
    }
    var cause = Errno.connectionRefused
    for address in addresses {
      do throws(Errno) {
        return try connect(to: address, within: patience)
      } catch {
        cause = error
      }
    }
    throw SerialError(
      .unavailable, path: name, cause: cause, "no RFC 2217 server answers there")
  }

  private static func connect(
    to address: SocketAddress, within patience: Interval
  ) throws(Errno) -> TCPStream {
    let number = openSocket(CInt(address.protocol.rawValue), streamSocket, 0)
    guard number >= 0 else { throw Errno(rawValue: errno) }
    let stream = TCPStream(number, peer: address.endpoint, silenceMax: serverSilenceMax)
    if address.withSockAddr({ connectSocket(number, $0, socklen_t($1)) }) != 0 {
      let cause = Errno(rawValue: errno)
      guard cause == .nowInProgress else { throw cause }
      guard (HostTime.now + patience).wait(for: number, orWriting: true) else {
        throw .timedOut
      }
      var status: CInt = 0
      var size = socklen_t(MemoryLayout<CInt>.size)
      guard getsockopt(number, SOL_SOCKET, SO_ERROR, &status, &size) == 0, status == 0 else {
        throw Errno(rawValue: status == 0 ? errno : status)
      }
    }
    return stream
  }

  private static func configure(_ descriptor: CInt, _ silenceMax: Interval) {
    _ = fcntl(descriptor, F_SETFD, FD_CLOEXEC)
    _ = fcntl(descriptor, F_SETFL, O_NONBLOCK)
    for (option, value) in KeepAlive.options(silenceMax) {
      set(option.level, option.name, CInt(clamping: value), on: descriptor)
    }
    set(CInt(IPPROTO_TCP), TCP_NODELAY, 1, on: descriptor)
  }

  private static func set(_ level: CInt, _ name: CInt, _ value: CInt, on descriptor: CInt) {
    var value = value
    setsockopt(descriptor, level, name, &value, socklen_t(MemoryLayout<CInt>.size))
  }

  private static func name(of storage: sockaddr_storage) -> String {
    var storage = storage
    let address = withUnsafeMutablePointer(to: &storage) { pointer -> SocketAddress? in
      switch CInt(pointer.pointee.ss_family) {
      case AF_INET:
        pointer.withMemoryRebound(to: sockaddr_in.self, capacity: 1) { SocketAddress($0.pointee) }
      case AF_INET6:
        pointer.withMemoryRebound(to: sockaddr_in6.self, capacity: 1) { SocketAddress($0.pointee) }
      default: nil
      }
    }
    return address?.endpoint ?? "?"
  }

  /// Reads at most `count` bytes without waiting.
  func read(upTo count: Int) -> Received {
    var result = 0
    let bytes = [UInt8](unsafeUninitializedCapacity: count) { buffer, initialized in
      result = receive(descriptor, buffer.baseAddress, count)
      initialized = max(result, 0)
    }
    if result > 0 { return .bytes(bytes) }
    guard result < 0 else { return .ended }
    return isTransient(Errno(rawValue: errno)) ? .nothing : .ended
  }

  /// Writes as many bytes as there is room for. Returns how many that were; nil if the connection
  /// has failed.
  func write(_ bytes: [UInt8]) -> Int? {
    guard !bytes.isEmpty else { return 0 }
    let count = bytes.withUnsafeBytes { transmit(descriptor, $0.baseAddress, $0.count) }
    if count >= 0 { return count }
    return isTransient(Errno(rawValue: errno)) ? 0 : nil
  }

  /// Whether the other end has closed the connection, or it failed, even if data from before that
  /// has not been read.
  var hasEnded: Bool {
    var polled = pollfd(fd: descriptor, events: Int16(truncatingIfNeeded: hangUp), revents: 0)
    return poll(&polled, 1, 0) > 0
  }

  /// Sends no more. What was written still arrives.
  func endWriting() { _ = shutDown(descriptor) }

  private func isTransient(_ cause: Errno) -> Bool {
    [.wouldBlock, .resourceTemporarilyUnavailable, .interrupted].contains(cause)
  }
}

// Inside the class, its own methods hide the system's functions of the same names.
private func acceptConnection(
  _ listener: CInt, _ address: UnsafeMutablePointer<sockaddr>, _ size: inout socklen_t
) -> CInt { accept(listener, address, &size) }

private func openSocket(_ family: CInt, _ type: CInt, _ number: CInt) -> CInt {
  socket(family, type, number)
}

private func connectSocket(
  _ descriptor: CInt, _ address: UnsafePointer<sockaddr>, _ size: socklen_t
) -> CInt { connect(descriptor, address, size) }

private func receive(_ descriptor: CInt, _ to: UnsafeMutableRawPointer?, _ count: Int) -> Int {
  recv(descriptor, to, count, 0)
}

/// Sends without SIGPIPE on a closed connection, if the system has a flag for that. The program
/// ignores that signal anyway.
private func transmit(_ descriptor: CInt, _ from: UnsafeRawPointer?, _ count: Int) -> Int {
  #if os(Linux)
    send(descriptor, from, count, CInt(MSG_NOSIGNAL))
  #else
    send(descriptor, from, count, 0)
  #endif
}

/// What `poll` reports at the end of the other end's data. POSIX has only an event for both ends.
private let hangUp: CInt = {
  #if os(Linux)
    0x2000  // POLLRDHUP, which the C library declares only with _GNU_SOURCE
  #else
    CInt(POLLHUP)
  #endif
}()

private func closeSocket(_ descriptor: CInt) -> CInt { close(descriptor) }

private func shutDown(_ descriptor: CInt) -> CInt { shutdown(descriptor, CInt(SHUT_WR)) }
