import Sketches
import Testing

struct OwnCommandQueueTests {
  private let client = ClientID(1)

  private static func profile() throws -> Profile {
    var profile = Profile(
      name: "mine",
      commands: try ["P{pan:0..180}.", "T{tilt:0..180}.", "F"].map { try CommandForm($0) })
    profile.commands[0].isReplaceable = true
    profile.commands[1].isReplaceable = true
    return profile
  }

  private static func commands(_ text: String) throws -> [Command] {
    var parser = CommandParser(for: .guarded, profile: try profile())
    return parser.take(Array(text.utf8)).compactMap(\.command)
  }

  @Test(arguments: [
    ("P1.P2.", "P2."), ("P1.T1.P2.", "T1.P2."), ("P1.FP2.F", "FP2.F"), ("FFF", "FFF"),
    ("P1.T1.P2.T2.", "P2.T2."),
  ])
  func `The newest of each kind is sent last, and a fire command is never merged`(
    put: String, sent: String
  ) throws {
    var queue = CommandQueue()
    for command in try Self.commands(put) { _ = queue.put(command, from: client) }
    var text = ""
    while let next = queue.next() { text += String(decoding: next.command.bytes, as: UTF8.self) }
    #expect(text == sent)
    #expect(queue.isEmpty)
  }

  @Test func `Sixteen fire commands can wait, whatever may be replaced`() throws {
    var queue = CommandQueue()
    let put = String(repeating: "F", count: 8) + "P1.T1." + String(repeating: "F", count: 9)
    var outcomes: [CommandQueue.Outcome] = []
    for command in try Self.commands(put) { outcomes.append(queue.put(command, from: client)) }
    #expect(outcomes.count { $0 == .overflow } == 1)
    #expect(outcomes.last == .overflow)
    #expect(queue.put(try Self.commands("P2.")[0], from: client) == .replaced)
    #expect(queue.lastReplaced?.bytes == Array("P1.".utf8))
    #expect(queue.count == 18)
  }

  @Test func `Only a command that may not be replaced is late after more than a second`() throws {
    var queue = CommandQueue()
    let start = Instant.zero
    for (index, command) in try Self.commands("FP1.F").enumerated() {
      _ = queue.put(command, from: client, at: start + .milliseconds(Int64(index) * 100))
    }
    #expect(queue.lateDeadline == start + .seconds(1))
    #expect(queue.removeLate(at: start + .seconds(1)).isEmpty)
    #expect(queue.removeLate(at: start + .milliseconds(1_001)).count == 1)
    #expect(queue.lateDeadline == start + .milliseconds(1_200))
    #expect(queue.removeLate(at: start + .seconds(9)).count == 1)
    #expect(queue.lateDeadline == nil)
    #expect(queue.count == 1)
    #expect(queue.counts.removed == 2)
  }
}
