import Devices
import Foundation
import Platform
import Sketches
import Synchronization
import Traces

@testable import Serial

/// A board behind a pty: the model, run in real time by its own thread.
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
    // Kept open here, so that the master can be read without an error while no sender has it open.
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
      // The same as posix_openpt and its relatives, which some Swift versions lack.
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

  /// The result of a session with a board. A real board never pauses for lack of a processor: a
  /// session in which this one did is repeated, up to a limit.
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

  /// All bytes from the sender and the bench.
  var received: [UInt8] { shared.withLock { $0.received } }

  /// The port's speeds at their arrival, in bits per second, without repetitions.
  var speeds: [Int] { shared.withLock { $0.speeds } }

  /// Unplugs the board.
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
          // A byte arrives when its stop bit ends.
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
