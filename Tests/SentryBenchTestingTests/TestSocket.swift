import Platform
import SystemPackage

/// A sender's TCP connection.
final class TestSocket {
  private let descriptor: FileDescriptor

  /// Connects to an address such as `127.0.0.1:40123`.
  init(_ address: String) throws {
    let number = socket(AF_INET, streamSocket, 0)
    guard number >= 0 else { throw Errno(rawValue: errno) }
    descriptor = FileDescriptor(rawValue: number)
    var target = sockaddr_in()
    target.sin_family = sa_family_t(AF_INET)
    target.sin_port = UInt16(address.split(separator: ":").last ?? "")?.bigEndian ?? 0
    target.sin_addr.s_addr = UInt32(0x7F00_0001).bigEndian
    let status = withUnsafePointer(to: target) {
      $0.withMemoryRebound(to: sockaddr.self, capacity: 1) {
        connect(number, $0, socklen_t(MemoryLayout<sockaddr_in>.size))
      }
    }
    guard status == 0 else { throw Errno(rawValue: errno) }
  }

  deinit { try? descriptor.close() }

  func write(_ text: String) throws { try write(Array(text.utf8)) }

  func write(_ bytes: [UInt8]) throws { _ = try descriptor.writeAll(bytes) }

  /// Returns what has arrived, at least one byte.
  func read() throws -> String {
    var bytes = [UInt8](repeating: 0, count: 4_096)
    let count = try bytes.withUnsafeMutableBytes { try descriptor.read(into: $0) }
    return String(decoding: bytes[..<count], as: UTF8.self)
  }
}
