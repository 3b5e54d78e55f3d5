import Devices
import Engine
import Traces
import Turret

// The requests of a client.
extension LiveBench: APIBench {
  var apiMoment: APIMoment {
    var moment = APIMoment(now: now, settled: session.settled, baud: session.port.baud)
    let device = session.device
    moment.activity = device.activity
    moment.counts = outputs.counts
    moment.commands = commandCount
    moment.onTheWay = session.onTheWayCount
    moment.waiting = device.waitingCount
    return moment
  }

  func take(_ kind: Event.Kind, at instant: Instant?) -> Instant {
    switch kind {
    case .receive(let bytes):
      if !hasAPIFormat { adoptFormat() }
      receive(bytes, at: instant)
    case .baud(let baud): setSpeed(to: baud)
    case .format(let format):
      hasAPIFormat = true
      setFormat(to: format)
    default:
      session.take(kind, at: min(instant ?? now, life.lastInstant)) { outputs.put($0) }
    }
    return session.now
  }

  func watch(_ pins: Set<BoardPin>) { session.watch(pins) }

  // The session runs in real time.
  func run(until end: Instant) {}

  func requestEnd() { isEndRequested = true }
}
