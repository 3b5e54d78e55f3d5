import Devices
import Foundation
import Platform
import Synchronization
import Traces
import Turret

@testable import Serial

/// A board behind a pty: the model, kept in real time by a thread of its own.
final class PtyBoard: Sendable {
  enum Trouble: Error { case noPty }

  private struct Shared {
    var isEnding = false
    var received: [UInt8] = []
    var speeds: [Int] = []
    var longestWait = Interval.zero
  }

  /// Where the board can be opened.
  let path: String
  private let master: CInt
  private let shared = Mutex(Shared())
  private let isDone = DispatchSemaphore(value: 0)

  init(_ firmware: Firmware) throws {
    (master, path) = try Self.openPty()
    // Kept open here, so that the master is read without an error while nobody else is there.
    let slave = open(path, O_RDWR | O_NOCTTY)
    var settings = termios()
    tcgetattr(slave, &settings)
    cfmakeraw(&settings)
    tcsetattr(slave, TCSANOW, &settings)
    _ = fcntl(master, F_SETFL, O_NONBLOCK)
    Thread.detachNewThread { [self] in
      run(firmware)
      close(slave)
      close(master)
      isDone.signal()
    }
  }

  private static func openPty() throws -> (master: CInt, path: String) {
    #if os(Linux)
      // What posix_openpt and its friends do; not every Swift has those.
      let master = open("/dev/ptmx", O_RDWR | O_NOCTTY | O_CLOEXEC)
      var locked: CInt = 0
      var number: CInt = -1
      guard master >= 0, ioctl(master, 0x4004_5431, &locked) == 0,
        ioctl(master, 0x8004_5430, &number) == 0
      else { throw Trouble.noPty }
      return (master, "/dev/pts/\(number)")
    #else
      let master = posix_openpt(O_RDWR | O_NOCTTY)
      guard master >= 0, grantpt(master) == 0, unlockpt(master) == 0, let name = ptsname(master)
      else { throw Trouble.noPty }
      return (master, String(cString: name))
    #endif
  }

  /// What comes of a session with a board. No board stands still for lack of a processor: a session
  /// in which this one did is held again, some times.
  static func session<Result>(
    _ firmware: Firmware, _ body: (PtyBoard) throws -> Result
  ) throws -> Result {
    var attempts = 1
    while true {
      let board = try PtyBoard(firmware)
      defer { board.unplug() }
      let result = Swift.Result { try body(board) }
      let wait = board.shared.withLock { $0.longestWait }
      if wait < .milliseconds(30) || attempts == 25 { return try result.get() }
      attempts += 1
    }
  }

  /// All that came from the sender and the bench.
  var received: [UInt8] { shared.withLock { $0.received } }

  /// The port's speeds when that came, bits a second, each only where it is another.
  var speeds: [Int] { shared.withLock { $0.speeds } }

  /// Pulls the plug.
  func unplug() {
    let wasEnding = shared.withLock { shared in
      defer { shared.isEnding = true }
      return shared.isEnding
    }
    if !wasEnding { isDone.wait() }
  }

  private func run(_ firmware: Firmware) {
    let zero = HostTime.now
    let header = Header(firmware: firmware, duration: nil, title: nil)
    var simulation = Simulation(Model(firmware, for: header, showsPulses: false))
    var waiting: [(time: Instant, byte: UInt8)] = []
    var last = Instant.zero
    while !shared.withLock({ $0.isEnding }) {
      let now = Instant.zero + (HostTime.now - zero)
      shared.withLock { $0.longestWait = max($0.longestWait, now - last) }
      last = now
      while simulation.step(to: now) {
        for seen in simulation.outputs {
          // A byte is there when its stop bit ends.
          if case .transmit(let byte) = seen.output {
            waiting.append((seen.time + .microseconds(1_042), byte))
          }
        }
      }
      var buffer = [UInt8](repeating: 0, count: 256)
      let count = read(master, &buffer, buffer.count)
      if count > 0 {
        let bytes = Array(buffer.prefix(count))
        let speed = LineSpeed.of(master) ?? 0
        shared.withLock { shared in
          shared.received += bytes
          if shared.speeds.last != speed { shared.speeds.append(speed) }
        }
        simulation.feed(Event(now, .receive(bytes)))
      }
      let due = waiting.prefix { $0.time <= now }.map(\.byte)
      if !due.isEmpty { _ = write(master, due, due.count) }
      waiting.removeFirst(due.count)
      _ = (HostTime.now + .microseconds(500)).wait(for: master)
    }
  }
}
