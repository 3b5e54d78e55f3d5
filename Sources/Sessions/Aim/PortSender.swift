import Clients
import Devices
import Gateway
import Networking
import Platform
import Serial
import Turret
import TurretProtocol

/// Sends commands to a serial port or a pty that can disappear and return, by carrying out the
/// decisions of `PortDelivery`. Used only on the loop's thread.
final class PortSender: @unchecked Sendable {
  private let path: String
  private let display: AimDisplay
  private var delivery = PortDelivery()
  private var inbox = Inbox<(PortDelivery.Event, at: Instant)>()
  private var port: SerialPort?
  private var loop: SendingLoop?

  init(path: String, _ display: AimDisplay) {
    self.path = path
    self.display = display
  }

  /// Whether something is still to be written or on the line. False while the port is away.
  var isBusy: Bool { delivery.isBusy(at: .host) }

  /// The last command if it was not completely written, or written to a port that disappeared; nil
  /// otherwise.
  var unsent: Command? { delivery.unsent }

  func begin(_ loop: SendingLoop) {
    self.loop = loop
    handle(.start)
  }

  func send(_ command: Command) { handle(.give(command)) }

  /// Ends the delivery. No more commands follow.
  func end() {
    handle(.end)
    loop = nil
  }

  // MARK: -

  private func handle(_ event: PortDelivery.Event, at instant: Instant = .host) {
    guard inbox.put((event, at: instant)) else { return }
    while let (event, instant) = inbox.next() {
      for action in delivery.handle(event, at: instant) { carryOut(action) }
    }
  }

  private func carryOut(_ action: PortDelivery.Action) {
    do throws(SerialError) {
      switch action {
      case .open:
        let port = try SerialPort(path: path, speed: 9_600)
        // A port without modem lines, such as a pty, restarts nothing.
        let isRestarted = try port.pulseReset()
        self.port = port
        handle(.opened(isRestarted: isRestarted))
      case .empty:
        _ = try port?.read()
        handle(.emptied)
      case .write(let bytes):
        let start = Instant.host
        if let port { handle(.took(try port.write(bytes)), at: start) }
      case .close: port = nil
      case .set(let alarm, let time): loop?.schedule(in: time) { [self] _ in handle(.due(alarm)) }
      case .report(let state): display.show(state: state)
      }
    } catch {
      handle(.failed(error.message))
    }
  }
}
