import Devices
import Gateway
import RemotePorts
import Serial
import Traces
import Turret

// Input: bytes from the pty, from the port over TCP, from the network's clients, and from the
// board.
extension LiveBench {
  /// The maximum number of bytes that wait for the line, as in a port's buffer.
  static var waitingMax: Int { 4_096 }
  /// The maximum number of the network's raw bytes that wait for the port, in addition to those
  /// already in it.
  private static var rawMax: Int { 16_384 }
  /// Senders are held from this number of bytes on their way, so that what they have already
  /// written still fits, and released below the lower one.
  private static var waitingHigh: Int { 2_048 }
  private static var waitingLow: Int { 1_024 }

  /// Takes bytes from the board that were read elsewhere.
  func arrived(_ bytes: [UInt8]) { session.arrived(bytes) }

  /// Takes what has arrived through the port.
  func takeInput() throws(Failure) {
    let room = Self.waitingMax - session.onTheWayCount
    do throws(SerialError) {
      for event in try pty?.look(room: max(0, room)) ?? [] {
        switch event {
        case .opened:
          if plan.isVerbose { report("A sender has opened the port.") }
          if let deadTime = plan.resetOnOpen { take(.reset(deadTime)) }
        case .closed:
          if plan.isVerbose { report("No sender has the port open any more.") }
        case .baud(let baud): changeSpeed(to: baud)
        case .bytes(let bytes): receive(bytes)
        }
      }
    } catch {
      throw Failure(error)
    }
    takeRemoteInput()
  }

  /// Takes the network clients' bytes, as many as the line has room for.
  func takeNetworkInput() {
    guard let network else { return }
    network.expire()
    recordRefused()
    guard !life.isBoardAway else { return }
    while let bytes = network.next(
      waitingCount: session.onTheWayCount, room: Self.rawMax - session.backlogCount)
    {
      receive(bytes)
    }
  }

  /// Records what the network has refused. `isLast` is whether the session is about to end.
  func recordRefused(isLast: Bool = false) {
    for message in network?.takeRefused(isLast: isLast) ?? [] { take(.refused(message)) }
  }

  /// Holds senders while many bytes are on their way. This check comes last before waiting: the
  /// bytes on their way may be the only thing that would wake the bench.
  func holdOrRelease() throws(Failure) {
    remote?.settle(isIdle: session.onTheWayCount == 0)
    let waiting = session.onTheWayCount
    guard !(Self.waitingLow..<Self.waitingHigh).contains(waiting) else { return }
    try Failure.ofPort { () throws(SerialError) in try pty?.hold(waiting >= Self.waitingHigh) }
  }

  func take(_ kind: Event.Kind) {
    session.take(kind, at: min(pacer.now, life.lastInstant)) { outputs.put($0) }
  }

  /// Takes the levels and voltages that another program has written.
  func takePinInputs() {
    for arrival in pinInputs?.look() ?? [] {
      switch arrival {
      case .input(let input): take(.input(input))
      case .mistake(let message): report(message)
      }
    }
  }

  /// Takes a sender's bytes, at an instant that is not later than now, or now.
  func receive(_ bytes: [UInt8], at instant: Instant? = nil) {
    let now = min(instant ?? pacer.now, life.lastInstant)
    if life.isBoardAway {
      session.miss(bytes, at: now) { outputs.put($0) }
    } else {
      session.take(.receive(bytes), at: now) { outputs.put($0) }
    }
  }

  func changeSpeed(to baud: Int) {
    let bauds = SerialLine.bauds
    senderBaud = min(max(baud, bauds.lowerBound), bauds.upperBound)
    take(.baud(senderBaud))
    report(
      baud == plan.baud
        ? "The sender writes at \(baud) baud again."
        : "The sender writes at \(baud) baud, the board listens at \(plan.baud): "
          + "it receives garbled bytes.")
  }
}
