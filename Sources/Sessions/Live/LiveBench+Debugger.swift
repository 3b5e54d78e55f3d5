import ChipDevice
import Engine
import Platform
import Sketches
import Traces

// A debugger of the session. It has its own copy of the board, which goes ahead.
extension LiveBench {
  /// Lets the debugger decide how far the clock goes in this turn. While it holds the session, this
  /// waits, and no time passes.
  func followDebugger() {
    guard let debugger = links.debugger else { return }
    debugger.append(session.takeInputs())
    let wanted = pacer.now
    var end = wanted
    // A byte that the faults delay is known only when the session is there. So the copy stops
    // before it, and the session goes there first.
    let due = look { $0.board.delayed?.next?.roundedUpToMicrosecond }
    if let due, due <= wanted { end = max(due - .microseconds(1), look { $0.now }) }
    let begin = links.system.now
    var reached = debugger.proceed(to: end, from: look { $0.now }, links.signals)
    let isLate =
      reached < end || debugger.hasHeld || links.system.now - begin >= GDBServer.turnMax
    if reached == end, end < wanted { reached = reached + .microseconds(1) }
    pacer.hold(at: reached, isLate: isLate)
    adopt(debugger)
    if debugger.isKilled { take(.endKey) }
    guard let signals = links.signals else { return }
    arrivedSignals += SignalQueue.take(from: signals, on: links.system)
    if arrivedSignals.contains(where: SignalQueue.ending.contains) { debugger.end() }
  }

  /// Takes over what the debugger has changed.
  private func adopt(_ debugger: GDBServer) {
    guard let changed = debugger.takeChanged() else { return }
    // Not in whole microseconds: the board is where the debugger has stopped its copy.
    session.advance(to: changed.now) { outputs.put($0) }
    session.change { device in
      guard var board = device as? AVRDevice else { return }
      board.adopt(changed)
      if let board = board as? D { device = board }
    }
    session.take(listed: Event(look { $0.now }, .other(Self.note))) { outputs.put($0) }
    guard !isChanged else { return }
    isChanged = true
    report("From here on this is no recording: the debugger has changed the program's state.")
  }

  /// The rest of the line of the event.
  private static var note: String { #""x-debugger", "changed""# }
}
