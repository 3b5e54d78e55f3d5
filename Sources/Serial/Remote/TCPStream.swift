import NIOCore
import Network
package import Platform
import Sketches
package import SystemPackage

/// A connected, nonblocking TCP socket. It is closed when released.
///
/// It is not a SwiftNIO channel, because a port is read and written in the turns of the bench, in
/// the same way as a pty, with and without an event loop.
package final class TCPStream: Sendable {
  package enum Received: Hashable {
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

  package let descriptor: CInt
  /// The address of the other end.
  package let peer: String
  private let system: any SystemCalls

  /// Takes over a socket.
  private init(_ descriptor: CInt, peer: String, silenceMax: Interval, on system: any SystemCalls) {
    self.descriptor = descriptor
    self.peer = peer
    self.system = system
    system.makeNonblocking(descriptor)
    let noDelay = SocketOption(level: CInt(IPPROTO_TCP), name: TCP_NODELAY, value: 1)
    system.set(KeepAlive.options(silenceMax) + [noDelay], of: descriptor)
  }

  deinit { system.close(descriptor) }

  /// Accepts a connection that waits at a listening socket; nil if there is none. Throws if the
  /// system has no descriptor or memory for it.
  package static func accept(
    from listener: CInt, on system: any SystemCalls
  ) throws(Errno) -> TCPStream? {
    var storage = sockaddr_storage()
    do throws(Errno) {
      let number = try system.accept(listener, from: &storage)
      let address = withUnsafePointer(to: storage) {
        $0.withMemoryRebound(to: sockaddr.self, capacity: 1) { SocketAddress($0) }
      }
      return TCPStream(
        number, peer: address?.endpoint ?? "?", silenceMax: clientSilenceMax, on: system)
    } catch {
      guard error.isShortage else { return nil }
      throw error
    }
  }

  /// Connects to the first of the host's addresses that answers in time.
  static func connect(
    to endpoint: Endpoint, within time: Interval
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
        return try connect(to: address, within: time)
      } catch {
        cause = error
      }
    }
    throw SerialError(.unavailable, path: name, cause: cause, "no RFC 2217 server answers there")
  }

  private static func connect(
    to address: SocketAddress, within time: Interval
  ) throws(Errno) -> TCPStream {
    let number = openSocket(CInt(address.protocol.rawValue), streamSocket, 0)
    guard number >= 0 else { throw Errno(rawValue: errno) }
    let stream = TCPStream(
      number, peer: address.endpoint, silenceMax: serverSilenceMax, on: HostSystem.shared)
    if address.withSockAddr({ connectSocket(number, $0, socklen_t($1)) }) != 0 {
      let cause = Errno(rawValue: errno)
      guard cause == .nowInProgress else { throw cause }
      guard (HostTime.now + time).wait(for: number, orWriting: true) else { throw .timedOut }
      var status: CInt = 0
      var size = socklen_t(MemoryLayout<CInt>.size)
      guard getsockopt(number, SOL_SOCKET, SO_ERROR, &status, &size) == 0, status == 0 else {
        throw Errno(rawValue: status == 0 ? errno : status)
      }
    }
    return stream
  }

  /// Reads at most `count` bytes without waiting.
  package func read(upTo count: Int) -> Received {
    do throws(Errno) {
      let bytes = try system.read(descriptor, upTo: count)
      return bytes.isEmpty ? .ended : .bytes(bytes)
    } catch {
      return isTransient(error) ? .nothing : .ended
    }
  }

  /// Writes as many bytes as there is room for. Returns how many that were; nil if the connection
  /// has failed.
  package func write(_ bytes: [UInt8]) -> Int? {
    guard !bytes.isEmpty else { return 0 }
    do throws(Errno) {
      return try bytes.withUnsafeBufferPointer { (buffer) throws(Errno) in
        try system.send(descriptor, UnsafeRawBufferPointer(buffer))
      }
    } catch {
      return isTransient(error) ? 0 : nil
    }
  }

  /// Whether the other end has closed the connection, or it failed, even if data from before that
  /// has not been read.
  package var hasEnded: Bool { system.poll(descriptor, hangUp, within: 0) != 0 }

  /// Sends no more. What was written still arrives.
  func endWriting() { system.endWriting(descriptor) }

  private func isTransient(_ cause: Errno) -> Bool {
    [.wouldBlock, .resourceTemporarilyUnavailable, .interrupted].contains(cause)
  }
}

// Inside the class, its own methods hide the system's functions of the same names.
private func openSocket(_ family: CInt, _ type: CInt, _ number: CInt) -> CInt {
  socket(family, type, number)
}

private func connectSocket(
  _ descriptor: CInt, _ address: UnsafePointer<sockaddr>, _ size: socklen_t
) -> CInt { connect(descriptor, address, size) }

/// What `poll` reports at the end of the other end's data. POSIX has only an event for both ends.
private let hangUp: CInt = {
  #if os(Linux)
    0x2000  // POLLRDHUP, which the C library declares only with _GNU_SOURCE
  #else
    CInt(POLLHUP)
  #endif
}()
