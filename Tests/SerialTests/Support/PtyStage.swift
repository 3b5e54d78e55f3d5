import Platform
import SystemPackage
import Testing

@testable import Serial

/// A pty, and senders that open it by its path. Open ends are closed at the end.
final class PtyStage {
  private var door: PtyPort
  private var ends: [FileDescriptor] = []

  init(baud: Int = 9_600, isReplaceable: Bool = false) throws {
    door = try PtyPort.make(baud: baud, isReplaceable: isReplaceable)
  }

  deinit { for end in ends { try? end.close() } }

  var isOpen: Bool { door.isOpen }
  var clientCount: Int { door.clientCount }
  var readerBaud: Int { door.readerBaud }

  func look(room: Int) throws -> [PtyPort.Event] { try door.look(room: room) }
  func write(_ bytes: [UInt8]) throws -> Int { try door.write(bytes) }
  func hold(_ isFull: Bool) throws { try door.hold(isFull) }

  /// Collects events until there are enough, as the kernel may take a moment.
  func events(until isEnough: ([PtyPort.Event]) -> Bool) throws -> [PtyPort.Event] {
    var events: [PtyPort.Event] = []
    for _ in 0..<2_000 {
      events += try door.look(room: 4_096)
      if isEnough(events) { break }
      usleep(1_000)
    }
    return events
  }

  /// Opens a sender's end.
  func open(options: FileDescriptor.OpenOptions = []) throws -> FileDescriptor {
    // Not inherited by processes that other tests start.
    let end = try FileDescriptor.open(
      door.path, .readWrite, options: options.union(.init(rawValue: O_NOCTTY | O_CLOEXEC)))
    ends.append(end)
    return end
  }

  func close(_ end: FileDescriptor) throws {
    ends.removeAll { $0 == end }
    try end.close()
  }

  func setSpeed(_ baud: Int, of end: FileDescriptor) throws {
    #expect(LineSpeed.set(baud, on: end.rawValue))
  }
}
