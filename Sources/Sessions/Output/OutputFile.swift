import Engine
import Platform
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

  private let path: String
  private let content: Outputs.Content
  private let isUpdate: Bool
  private let isClaimed: Bool
  private let destination: Destination
  private var buffer: [UInt8] = []
  private var isFinished = false

  /// Creates the file of a trace. `isUpdate` is whether it can replace an input of the command.
  package init(trace path: String, isUpdate: Bool = false) throws(Failure) {
    try self.init(path, as: .trace, isUpdate: isUpdate)
  }

  package init(_ path: String) throws(Failure) { try self.init(path, as: .other) }

  init(
    _ path: String, as content: Outputs.Content, isUpdate: Bool = false, isClaimed: Bool = false
  ) throws(Failure) {
    self.path = path
    self.content = content
    self.isUpdate = isUpdate
    self.isClaimed = isClaimed
    let target = try Outputs.target(path, as: content, isUpdate: isUpdate, isClaimed: isClaimed)
    do {
      switch target {
      case .standardOutput: destination = .standardOutput
      case .descriptor, .special: destination = .direct(try target.open())
      case .file(let target, let earlier):
        NewFile.removeLeftovers(besides: target)
        destination = try Self.draft(of: target, earlier)
      }
    } catch {
      throw Failure(writing: path, error)
    }
  }

  static func write(
    _ bytes: [UInt8], to path: String, as content: Outputs.Content, isClaimed: Bool = false
  ) throws(Failure) {
    var file = try OutputFile(path, as: content, isClaimed: isClaimed)
    try file.write(bytes)
    try file.finish()
  }

  private static func draft(
    of target: String, _ earlier: Outputs.Earlier?
  ) throws(Errno) -> Destination {
    let name = NewFile.name(besides: target)
    let slot = Signals.register(name)
    do throws(Errno) {
      let descriptor = try NewFile.create(
        name, permissions: earlier?.permissions ?? .init(rawValue: 0o644))
      do throws(Errno) {
        if let earlier { try NewFile.adopt(earlier, descriptor) }
        guard NewFile.lock(descriptor) else { throw .wouldBlock }
        return .temporary(descriptor, name: name, target: target, slot: slot)
      } catch {
        try? descriptor.close()
        unlink(name)
        throw error
      }
    } catch {
      Signals.unregister(slot)
      guard error == .wouldBlock else { throw error }
    }
    // Another process has just taken the draft for one that was left.
    return try draft(of: target, earlier)
  }

  package mutating func write(_ bytes: [UInt8]) throws(Failure) {
    buffer += bytes
    if buffer.count >= Self.bufferMax { try flush() }
  }

  package mutating func writeLine(_ event: Event) throws(Failure) {
    buffer.appendLine(event)
    if buffer.count >= Self.bufferMax { try flush() }
  }

  /// Renames the file to its target.
  package consuming func finish() throws(Failure) {
    try flush()
    if case .temporary = destination {
      // Something else can have been put there meanwhile.
      _ = try Outputs.target(path, as: content, isUpdate: isUpdate, isClaimed: isClaimed)
    }
    do {
      switch destination {
      case .standardOutput: try Console.flush()
      case .direct(let descriptor):
        isFinished = true
        try descriptor.close()
      case .temporary(let descriptor, let name, let target, let slot):
        // A full disk may be reported only when the data is flushed.
        if fsync(descriptor.rawValue) != 0 { throw Errno(rawValue: errno) }
        if rename(name, target) != 0 { throw Errno(rawValue: errno) }
        Signals.unregister(slot)
        isFinished = true
        try descriptor.close()
      }
    } catch let failure as Failure {
      throw failure
    } catch {
      throw Failure(writing: path, error)
    }
    isFinished = true
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
}

/// A report that is written at the end. Whether it can be written is checked at the beginning.
package struct OutputSlot {
  private let path: String
  private let content: Outputs.Content

  package init(_ path: String) throws(Failure) { try self.init(path, as: .other) }

  package init(trace path: String) throws(Failure) { try self.init(path, as: .trace) }

  private init(_ path: String, as content: Outputs.Content) throws(Failure) {
    self.path = path
    self.content = content
    switch try Outputs.claim(path, as: content) {
    case .standardOutput, .descriptor: break
    case .special(let name):
      // Opening it would end the reader of a FIFO when it is closed again.
      if access(name, W_OK) != 0 { throw Failure(writing: path, Errno(rawValue: errno)) }
    case .file:
      // Creates the unfinished file and removes it again.
      _ = try OutputFile(path, as: content, isClaimed: true)
    }
  }

  package func write(_ text: String) throws(Failure) { try write(Array(text.utf8)) }

  func write(_ bytes: [UInt8]) throws(Failure) {
    try OutputFile.write(bytes, to: path, as: content, isClaimed: true)
  }
}

/// Where a picture or a page is written if the command line does not say so: on a terminal, which
/// cannot show it, into a file in the working folder that is named after the trace.
package struct ChosenOutput: Hashable {
  package let path: String
  /// Whether the path is not the user's, who has to be told.
  let isChosen: Bool

  /// - Parameters:
  ///   - given: the path on the command line; nil for none.
  ///   - trace: the path of the trace; `-` is standard input.
  ///   - ending: that of the file, with its dot.
  package init(
    _ given: String?, for trace: String, ending: String,
    isTerminal: Bool = isatty(STDOUT_FILENO) == 1
  ) {
    isChosen = given == nil && isTerminal
    let name = trace.split(separator: "/").last.map(String.init) ?? "-"
    let stem = SuiteTest.stem(of: name)
    path = given ?? (isTerminal ? (name == "-" || stem.isEmpty ? "session" : stem) + ending : "-")
  }

  /// Writes the file, and says which if it was chosen. The file of a recording at fault is written
  /// too.
  package func write(_ verbosity: Verbosity, _ body: () throws -> Void) throws {
    do {
      try body()
    } catch let failure as Failure where failure.status == .disagree {
      report(verbosity)
      throw failure
    }
    report(verbosity)
  }

  private func report(_ verbosity: Verbosity) {
    if isChosen, verbosity != .quiet { Console.report("\(path): written") }
  }
}

/// A folder for a command's files.
enum OutputFolder {
  /// Creates a folder and the missing ones above it.
  static func make(_ path: String) throws(Failure) {
    var parts = FilePath(path)
    var missing: [FilePath] = []
    while !parts.isEmpty, access(parts.string, F_OK) != 0 {
      missing.append(parts)
      parts.removeLastComponent()
    }
    for part in missing.reversed() {
      guard mkdir(part.string, 0o777) == 0 || errno == EEXIST else {
        throw Failure(writing: path, Errno(rawValue: errno))
      }
    }
  }

  /// Does the same, and refuses a file in its place before any work is done.
  static func makeFirst(_ path: String) throws(Failure) {
    try make(path)
    var status = stat()
    guard stat(path, &status) == 0, status.st_mode & S_IFMT == S_IFDIR else {
      throw Failure(writing: path, Errno.notDirectory)
    }
  }
}
