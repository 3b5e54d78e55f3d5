import Devices
import Network
import Platform
import Serial
import Sketches

/// Decides how commands reach a serial port or a pty that can disappear and return: when to open
/// it, what to write, and what has to wait. `PortSender` carries the decisions out.
///
///     idle --start--> opening --opened--> emptying --emptied--> open
///                      ^   |                 |                   |
///                      |   '------ a failure, or its end --------'
///                      |                     v
///                      '----- 500 ms ------ away                  end --> ended
///
/// Of the commands that cannot be written yet, only the newest is kept. When a port returns, the
/// last command is sent again. Only whole commands are replaced: one that was begun is written to
/// its end.
struct PortDelivery: Hashable {
  private enum Phase: Hashable {
    case idle, opening
    /// Open, but the board's old bytes are not discarded yet.
    case emptying
    case open
    /// Waiting for the next attempt.
    case away
    case ended
  }

  enum Alarm: Hashable {
    /// Check that the port is still there.
    case look
    /// The next attempt to open it is due.
    case open
    /// The line has carried what was written, the board has started, or the port may have room.
    case write
  }

  enum Event: Hashable {
    case start
    case give(Command)
    /// `isRestarted` is whether opening it has restarted the board.
    case opened(isRestarted: Bool)
    /// The board's old bytes are discarded.
    case emptied
    /// The port took this many of the bytes written at this instant.
    case took(Int)
    /// Opening, reading or writing failed, for this reason.
    case failed(String)
    case due(Alarm)
    case end
  }

  enum Action: Hashable {
    case open
    /// Discard what the board has sent, so that it does not fill the port.
    case empty
    /// Write as much of this as the port takes.
    case write([UInt8])
    case close
    /// There is at most one alarm of each kind.
    case set(Alarm, Interval)
    case report(SenderState)
  }

  /// The time between two checks of an open port, or two attempts to open a missing one.
  private static let lookPeriod = Interval.milliseconds(500)
  /// The time between two attempts to write to a full port.
  private static let roomPeriod = Interval.milliseconds(5)
  /// How long an Uno that was restarted by opening its port takes until it receives.
  private static let bootTime = Interval.milliseconds(2_000)
  /// A port's buffer may be large, but commands would become stale in it. Bytes are therefore
  /// written only as fast as the line carries them.
  private static let byteTime = ByteClock.byteTime(baud: 9_600)

  private var phase = Phase.idle
  /// The rest of the command being written. It starts at index 0 if none of it was taken.
  private var rest: ArraySlice<UInt8> = []
  /// The newest command, after `rest`.
  private var next: Command?
  private var last: Command?
  /// When the line has carried what was written and the board is ready to receive.
  private var free = Instant.zero
  /// Whether an alarm for writing is set.
  private var isWaiting = false
  private var isLost = false

  /// The last command if it was not completely written, or written to a port that disappeared; nil
  /// otherwise.
  var unsent: Command? { rest.isEmpty && next == nil && !isLost ? nil : last }

  /// Whether something is still to be written or on the line. False while the port is away.
  func isBusy(at now: Instant) -> Bool {
    isOpen && (!rest.isEmpty || next != nil || now < free)
  }

  mutating func handle(_ event: Event, at now: Instant) -> [Action] {
    switch event {
    case .start: return phase == .idle ? open() : []
    case .give(let command):
      (next, last) = (command, command)
      return write(at: now)
    case .opened(let isRestarted): return opened(isRestarted: isRestarted, at: now)
    case .emptied: return emptied(at: now)
    case .took(let count): return took(count, at: now)
    case .failed(let why): return failed(why)
    case .due(.look): return phase == .open ? [.empty] : []
    case .due(.open): return phase == .away ? open() : []
    case .due(.write):
      isWaiting = false
      return write(at: now)
    case .end:
      phase = .ended
      return [.close]
    }
  }

  // MARK: -

  private var isOpen: Bool { phase == .emptying || phase == .open }

  private mutating func open() -> [Action] {
    phase = .opening
    return [.report(.connecting), .open]
  }

  private mutating func opened(isRestarted: Bool, at now: Instant) -> [Action] {
    guard phase == .opening else { return [.close] }
    phase = .emptying
    free = isRestarted ? now + Self.bootTime : now
    isLost = false
    rest = []
    next = next ?? last
    return [.report(.connected), .empty]
  }

  private mutating func emptied(at now: Instant) -> [Action] {
    guard isOpen else { return [] }
    let isNew = phase == .emptying
    phase = .open
    return [.set(.look, Self.lookPeriod)] + (isNew ? write(at: now) : [])
  }

  private mutating func failed(_ why: String) -> [Action] {
    guard isOpen || phase == .opening else { return [] }
    phase = .away
    isLost = true
    return [.close, .report(.disconnected(why)), .set(.open, Self.lookPeriod)]
  }

  private mutating func write(at now: Instant) -> [Action] {
    guard phase == .open, !rest.isEmpty || next != nil else { return [] }
    guard now >= free else { return wait(free - now) }
    if let next, rest.isEmpty || rest.startIndex == 0 {
      rest = next.bytes[...]
      self.next = nil
    }
    return [.write(Array(rest))]
  }

  private mutating func took(_ count: Int, at now: Instant) -> [Action] {
    guard phase == .open else { return [] }
    rest = rest.dropFirst(count)
    free = max(free, now) + .nanoseconds(Int64(count) * Self.byteTime.nanoseconds)
    return wait(rest.isEmpty ? free - now : Self.roomPeriod)
  }

  private mutating func wait(_ time: Interval) -> [Action] {
    guard !isWaiting, !rest.isEmpty || next != nil else { return [] }
    isWaiting = true
    return [.set(.write, time)]
  }
}

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
  var isBusy: Bool { delivery.isBusy(at: .uptime) }

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

  private func handle(_ event: PortDelivery.Event, at instant: Instant = .uptime) {
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
        let start = Instant.uptime
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
