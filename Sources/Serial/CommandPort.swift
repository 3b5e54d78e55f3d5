package import NIOCore
package import Network
import Platform
import Sketches
package import TurretLink

/// The connection of `aim` to a serial port or a pty that can disappear and return. Used only on
/// its event loop.
///
/// A port's buffer may be large, but commands would become stale in it. Bytes are therefore written
/// only as fast as the line carries them.
package final class CommandPort: CommandLink {
  /// The time between two checks that an open port is still there.
  private static let lookPeriod = Interval.milliseconds(500)
  /// The time between two attempts to write to a full port.
  private static let roomPeriod = Interval.milliseconds(5)
  /// How long an Uno that was restarted by opening its port takes until it receives.
  private static let bootTime = Interval.milliseconds(2_000)

  private let path: String
  private let speed: Int
  private let loop: any EventLoop
  private let alarm: LoopAlarm
  private var owner: (any CommandLinkOwner)?
  private var ending: EventLoopPromise<Void>?
  private var port: SerialPort?
  /// Whether the board has booted.
  private var isOpen = false
  /// What the port has not taken yet of the last message.
  private var rest: ArraySlice<UInt8> = []
  /// When the line has carried what was written and the board is ready to receive.
  private var free = Instant.zero

  package init(path: String, speed: Int, on loop: any EventLoop) {
    self.path = path
    self.speed = speed
    self.loop = loop
    alarm = LoopAlarm(on: loop)
  }

  package var isWritable: Bool {
    guard let port, isOpen, rest.isEmpty, Instant.uptime >= free else { return false }
    guard HostSystem.shared.poll(port.descriptor, CInt(POLLOUT), within: 0) == 0 else {
      return true
    }
    wait(until: .uptime + Self.roomPeriod)
    return false
  }

  package func carryOut(_ action: Reconnection.Action, for owner: any CommandLinkOwner) {
    switch action {
    case .connect:
      self.owner = owner
      connect()
    case .greet: turn()
    case .discard, .cut: disconnect()
    case .finish:
      self.owner = nil
      ending?.succeed()
    // Only the owner knows what they mean.
    case .ready, .away: break
    }
  }

  package func send(_ message: [UInt8]) {
    rest = message[...]
    turn()
  }

  package func close() { lose(nil) }

  package func awaitEnd() -> EventLoopFuture<Void> {
    let promise = ending ?? loop.makePromise(of: Void.self)
    ending = promise
    return promise.futureResult
  }

  // MARK: -

  private func connect() {
    do throws(SerialError) {
      let port = try SerialPort(path: path, speed: speed)
      // A port without modem lines, such as a pty, restarts nothing.
      let isRestarted = try port.pulseReset()
      self.port = port
      free = isRestarted ? .uptime + Self.bootTime : .uptime
      owner?.take(.connected)
    } catch {
      owner?.take(.refused(error.message))
    }
  }

  /// Does what is due on an open port.
  private func turn() {
    guard let port else { return }
    let now = Instant.uptime
    do throws(SerialError) {
      // What the board sends would fill the port. This fails if the port is gone.
      _ = try port.read()
      if now >= free, !rest.isEmpty {
        let count = try port.write(rest)
        rest = rest.dropFirst(count)
        free = now + .nanoseconds(Int64(count) * ByteClock.byteTime(baud: speed).nanoseconds)
      }
    } catch {
      return lose(error.message)
    }
    let next = now < free ? free : now + (rest.isEmpty ? Self.lookPeriod : Self.roomPeriod)
    wait(until: next)
    if now >= free, !isOpen {
      isOpen = true
      owner?.take(.opened)
    }
    owner?.hasRoom()
  }

  private func wait(until instant: Instant) { alarm.set(instant) { [weak self] in self?.turn() } }

  /// The connection has ended, for this reason; nil if it was closed in order.
  private func lose(_ why: String?) {
    owner?.take(.lost(why))
    disconnect()
  }

  private func disconnect() {
    alarm.set(nil) {}
    port = nil
    isOpen = false
    rest = []
    owner?.take(.closed)
  }
}
