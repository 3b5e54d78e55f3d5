import Gateway
import Networking

/// A board that accepts everything at once and answers each command.
final class AnsweringBoard: TurnTaker {
  let runner: ArbiterRunner

  init(_ runner: ArbiterRunner) { self.runner = runner }

  func takeTurn() {
    runner.expire()
    while let bytes = runner.next(waitingCount: 0, room: 4_096) {
      runner.deliver(bytes + [UInt8(ascii: "\n")])
    }
  }
}
