import Clients
import Devices
import Serial
import Turret

/// Commands to a serial port or a pty, which may come and go: of those that cannot be written the
/// newest waits, and one that is back gets the last anew. Used on the stage's thread only.
final class PortSender: @unchecked Sendable {
  /// How often a port that is gone is looked for, whether it is gone, and one without room tried
  /// again.
  private static let lookPeriod = Interval.milliseconds(500)
  private static let roomPeriod = Interval.milliseconds(5)
  /// An Uno that was restarted by opening its port listens after so long.
  private static let bootTime = Interval.milliseconds(2_000)
  /// Bytes a second at 9600 baud: a port's buffer may be large, but what is in it is not new any
  /// more.
  private static let byteTime = ByteClock.byteTime(baud: 9_600)

  private let path: String
  private let onState: (String) -> Void
  private var port: SerialPort?
  /// What is to be written: the rest of a command that was begun, then the newest.
  private var rest: ArraySlice<UInt8> = []
  private var next: [UInt8]?
  private var last: [UInt8]?
  /// When the line has carried what was written, or the board listens.
  private var free = HostTime.now
  private var isWaiting = false
  private var isLost = false

  init(path: String, onState: @escaping (String) -> Void) {
    self.path = path
    self.onState = onState
  }

  func begin(_ stage: SendingLoop) { open(stage) }

  func send(_ command: [UInt8], _ stage: SendingLoop) {
    next = command
    last = command
    write(stage)
  }

  /// Whether something is still to be written, or on the line; not while there is no port for it.
  var isBusy: Bool { port != nil && (!rest.isEmpty || next != nil || HostTime.now < free) }

  /// The last command, where it was not written whole, or to a port that is gone; nil: it was.
  var unsent: [UInt8]? { rest.isEmpty && next == nil && !isLost ? nil : last }

  /// Nothing comes any more.
  func end() { port = nil }

  private func open(_ stage: SendingLoop) {
    onState("connecting")
    do throws(SerialError) {
      let port = try SerialPort(path: path, speed: 9_600)
      // A port without modem lines, a pty's, restarts nothing.
      free = .now + (try port.pulseReset() ? Self.bootTime : .zero)
      self.port = port
      isLost = false
      rest = []
      next = next ?? last
      onState("connected")
      look(port, stage)
      write(stage)
    } catch {
      lost(error, stage)
    }
  }

  /// Nothing may be written for long, and a port that was away meanwhile has to be told all the
  /// same. What the board says is of no use here, and must not fill the port.
  private func look(_ port: SerialPort, _ stage: SendingLoop) {
    guard self.port === port else { return }
    do throws(SerialError) {
      _ = try port.read()
      stage.schedule(in: Self.lookPeriod) { [weak self, weak port] stage in
        if let port { self?.look(port, stage) }
      }
    } catch {
      lost(error, stage)
    }
  }

  private func lost(_ error: SerialError, _ stage: SendingLoop) {
    port = nil
    isLost = true
    onState("disconnected: \(error.message)")
    stage.schedule(in: Self.lookPeriod) { [self] stage in if port == nil { open(stage) } }
  }

  private func write(_ stage: SendingLoop) {
    guard let port, !rest.isEmpty || next != nil else { return }
    let now = HostTime.now
    guard now >= free else { return wait(free - now, stage) }
    // One of which nothing has been taken yet can still be replaced.
    if let next, rest.isEmpty || rest.startIndex == 0 {
      rest = next[...]
      self.next = nil
    }
    do throws(SerialError) {
      let count = try port.write(rest)
      rest = rest.dropFirst(count)
      free = max(free, now) + .nanoseconds(Int64(count) * Self.byteTime.nanoseconds)
      wait(rest.isEmpty ? free - now : Self.roomPeriod, stage)
    } catch {
      lost(error, stage)
    }
  }

  private func wait(_ time: Interval, _ stage: SendingLoop) {
    guard !isWaiting, !rest.isEmpty || next != nil else { return }
    isWaiting = true
    stage.schedule(in: time) { [self] stage in
      isWaiting = false
      write(stage)
    }
  }
}
