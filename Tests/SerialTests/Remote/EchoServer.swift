import Foundation
import Network
import Platform
import Serial
import Sketches
import Synchronization

/// A port over TCP that sends every byte back, on its own thread.
final class EchoServer: Sendable {
  struct Seen: Sendable {
    /// The speeds in bits a second, without repetitions.
    var speeds: [Int] = []
    /// How often the board would have been restarted.
    var restarts = 0
    var isEnding = false
  }

  let endpoint: Endpoint
  private let seen = Mutex(Seen())
  private let isDone = DispatchSemaphore(value: 0)

  init() throws {
    let any = Endpoint(host: "127.0.0.1", port: 0)
    let port = Transferred(
      try RemotePort(listening: any, speed: 9_600, speeds: 1...2_000_000))
    endpoint = port.value.addresses[0]
    Thread.detachNewThread { [self] in
      while !seen.withLock({ $0.isEnding }) {
        turn(port.value)
        (HostTime.now + .microseconds(200)).sleep()
      }
      port.release()
      isDone.signal()
    }
  }

  /// Ends it. Returns what it has seen.
  func stop() -> Seen {
    seen.withLock { $0.isEnding = true }
    isDone.wait()
    return seen.withLock { $0 }
  }

  private func turn(_ port: RemotePort) {
    for event in port.look() {
      switch event {
      case .opened, .restart: seen.withLock { $0.restarts += 1 }
      case .closed, .dropped, .refused, .foreign: break
      }
    }
    for item in port.takeForLine(room: 1_000) {
      switch item {
      case .bytes(let bytes): _ = port.write(bytes)
      case .speed(let speed):
        seen.withLock { if $0.speeds.last != speed { $0.speeds.append(speed) } }
      case .format, .breakBegan, .breakEnded: break
      }
    }
    port.settle(isIdle: true)
  }

  /// A port on its way to the only thread that uses it.
  private final class Transferred: @unchecked Sendable {
    private var port: RemotePort?

    init(_ port: RemotePort) { self.port = port }

    var value: RemotePort { port! }

    func release() { port = nil }
  }
}
