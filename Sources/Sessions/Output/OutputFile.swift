import Platform
import Synchronization
import SystemPackage
package import Traces

/// A file that appears whole or not at all: it is written under another name next to its target,
/// then renamed. `-` is standard output; a device or a FIFO is written directly.
package struct OutputFile: ~Copyable {
  private enum Destination {
    case standardOutput
    case direct(FileDescriptor)
    case temporary(FileDescriptor, name: String, target: String, slot: Int?)
  }

  private static let bufferMax = 1 << 16
  /// Makes the temporary names of two files for the same target differ.
  private static let count = Atomic(0)

  private let path: String
  private let destination: Destination
  private var buffer: [UInt8] = []
  private var isFinished = false

  package init(_ path: String) throws(Failure) {
    self.path = path
    if path == "-" {
      destination = .standardOutput
      return
    }
    do {
      // A link is followed, so that its target is replaced and not the link.
      let target = Self.resolved(path)
      let status = try? FilePath(target).stat()
      if let status, status.type != .regular {
        destination = .direct(try FileDescriptor.open(target, .writeOnly, options: .closeOnExec))
        return
      }
      let number = Self.count.wrappingAdd(1, ordering: .relaxed).newValue
      let name = "\(target).\(getpid())-\(number).part"
      let slot = Signals.register(name)
      let descriptor = try FileDescriptor.open(
        name, .writeOnly, options: [.create, .truncate, .closeOnExec],
        permissions: status?.permissions ?? .init(rawValue: 0o644))
      // Opening applies the umask, which the existing file's permissions may exceed.
      if let status, fchmod(descriptor.rawValue, status.permissions.rawValue) != 0 {
        let reason = Errno(rawValue: errno)
        try? descriptor.close()
        unlink(name)
        throw reason
      }
      destination = .temporary(descriptor, name: name, target: target, slot: slot)
    } catch {
      throw Failure(writing: path, error)
    }
  }

  package mutating func write(_ bytes: [UInt8]) throws(Failure) {
    buffer += bytes
    if buffer.count >= Self.bufferMax { try flush() }
  }

  /// Writes an event's line.
  package mutating func writeLine(_ event: Event) throws(Failure) {
    buffer.appendLine(event)
    if buffer.count >= Self.bufferMax { try flush() }
  }

  /// Renames the file to its target.
  package consuming func finish() throws(Failure) {
    try flush()
    isFinished = true
    do {
      switch destination {
      case .standardOutput: try Console.flush()
      case .direct(let descriptor): try descriptor.close()
      case .temporary(let descriptor, let name, let target, let slot):
        // A full disk may be reported only when the data is flushed.
        if fsync(descriptor.rawValue) != 0 { throw Errno(rawValue: errno) }
        try descriptor.close()
        if rename(name, target) != 0 { throw Errno(rawValue: errno) }
        Signals.unregister(slot)
      }
    } catch let failure as Failure {
      throw failure
    } catch {
      throw Failure(writing: path, error)
    }
  }

  deinit {
    guard !isFinished else { return }
    switch destination {
    // Output from before an error is worth keeping.
    case .standardOutput: try? Console.write(buffer)
    case .direct(let descriptor): try? descriptor.close()
    case .temporary(let descriptor, let name, _, let slot):
      try? descriptor.close()
      unlink(name)
      Signals.unregister(slot)
    }
  }

  private mutating func flush() throws(Failure) {
    guard !buffer.isEmpty else { return }
    defer { buffer.removeAll(keepingCapacity: true) }
    do {
      switch destination {
      case .standardOutput: try Console.write(buffer)
      case .direct(let descriptor), .temporary(let descriptor, _, _, _):
        try descriptor.writeAll(buffer)
      }
    } catch let failure as Failure {
      throw failure
    } catch {
      throw Failure(writing: path, error)
    }
  }

  static func resolved(_ path: String) -> String {
    guard let real = realpath(path, nil) else { return path }
    defer { free(real) }
    return String(cString: real)
  }
}
