import Sketches
import TestSupport
import Testing
import TurretLink

@testable import Network

/// The follower on real sockets, connected to a simulated phone.
@Suite(.ownThread) struct VisionFollowingTests {
  static let forms: [@Sendable (Double?) -> VisionScript.Deed] = [
    { .fields($0) }, { .fields($0, end: "\r\n") }, { .fields($0, end: "") }, { .object($0) },
  ]

  @Test(arguments: forms.indices)
  func `A target appears, moves and disappears, in either form`(form: Int) async throws {
    let answer = Self.forms[form]
    let script = VisionScript(
      [answer(15.2)], [answer(15.2)], [answer(-999)], [answer(1e308)], [answer(nil)])
    try await FollowStand.with(script) { stand, phone in
      try await stand.follow(port: phone.port) {
        try await stand.wait(forCommands: ["X105.", "X0.", "X180.", "L"])
      }
      try await stand.wait(for: "the phone to be left") { phone.openConnections == 0 }
      #expect(phone.connections == 1)
      #expect(!phone.hasSeenJunk)
    }
  }

  /// What the phone does, the resulting commands, and the minimum number of connections.
  static let faults: [(name: String, script: VisionScript, commands: [String], connections: Int)] =
    [
      (
        "dribbles", VisionScript(VisionScript.Deed.dribble("12:00:#|angle^5|", milliseconds: 1)),
        ["X95."], 1
      ),
      (
        "pieces", VisionScript([.say("{\"angle\""), .wait(milliseconds: 20), .say(": 5}")]),
        ["X95."], 1
      ),
      ("garbage", VisionScript([.bytes([0xFF, 0x00, 0x0A])], [.fields(5)]), ["X95."], 1),
      (
        "escapes and nesting",
        VisionScript([.say(#"{"timestamp": "\u0031\"}", "angle": 5, "more": [{"angle": [9]}]}"#)]),
        ["X95."], 1
      ),
      ("an answer too many", VisionScript([.fields(5), .fields(9)]), ["X95."], 1),
      ("a slow answer", VisionScript([.wait(milliseconds: 100), .fields(5)]), ["X95."], 1),
      ("an answer without an end", VisionScript([.fields(5)], [.flood]), ["X95.", "L"], 2),
      ("half an answer", VisionScript([.fields(5)], [.say("12:00:#|angle^9")]), ["X95.", "L"], 2),
      (
        "half an answer and a close",
        VisionScript([.fields(5)], [.say("{\"angle\": 9"), .close], [.fields(7)]),
        ["X95.", "L", "X97."], 2
      ),
      (
        "a close after each", VisionScript([.fields(5), .close], [.fields(6), .close]),
        ["X95.", "X96."], 2
      ),
      (
        "a close as the end", VisionScript([.fields(5, end: ""), .close], [.fields(6), .close]),
        ["X95.", "X96."], 2
      ),
      (
        "a reset", VisionScript([.fields(5)], [.wait(milliseconds: 5), .abort], [.fields(5)]),
        ["X95.", "L", "X95."], 2
      ),
      ("no answer", VisionScript([.fields(5)], []), ["X95.", "L"], 2),
      ("a hanging camera", VisionScript([.say("12:00:00|angle^5\n")]), ["X95.", "L"], 1),
    ]

  @Test(arguments: faults.indices)
  func `The turret receives the right command, whatever the phone does`(index: Int) async throws {
    let fault = Self.faults[index]
    try await FollowStand.with(fault.script) { stand, phone in
      let change: (inout FollowSettings) -> Void = {
        $0.answerTime = .milliseconds(250)
        $0.lossTime = .milliseconds(400)
        $0.staleTime = .milliseconds(300)
      }
      try await stand.follow(port: phone.port, change) {
        try await stand.wait(
          for: "\(fault.name): \(fault.commands)",
          until: { Array(stand.commands.prefix(fault.commands.count)) == fault.commands })
        try await stand.wait(
          for: "\(fault.name): connections", until: { phone.connections >= fault.connections })
      }
      try await stand.wait(
        for: "\(fault.name): the phone to be left", until: { phone.openConnections == 0 })
    }
  }

  @Test func `A phone that reads lines is supported`() async throws {
    var script = VisionScript([.fields(5)], [.fields(6)])
    script.readsLines = true
    try await FollowStand.with(script) { stand, phone in
      try await stand.follow(port: phone.port, { $0.newlineTime = .milliseconds(50) }) {
        try await stand.wait(forCommands: ["X95.", "X96."])
      }
      #expect(phone.connections == 1)
    }
  }

  @Test func `A greeting costs one answer`() async throws {
    var script = VisionScript([.fields(5)])
    script.greeting = "Welcome\n"
    try await FollowStand.with(script) { stand, phone in
      try await stand.follow(port: phone.port) { try await stand.wait(forCommands: ["X95."]) }
      #expect(stand.log.lines.contains { $0.contains("`Welcome`") })
    }
  }

  @Test func `A phone that shuts down counts as a loss, and is found again when it returns`()
    async throws
  {
    try await FollowStand.with(VisionScript([.fields(5)])) { stand, phone in
      try await stand.follow(port: phone.port) {
        try await stand.wait(forCommands: ["X95."])
        try await phone.stop()
        try await stand.wait(forCommands: ["X95.", "L"])
        // Connections are refused meanwhile.
        try await stand.wait(for: "three refusals") {
          try await stand.counts().refusedConnections >= 3
        }
        let back = try await VisionPhone.start(
          VisionScript([.fields(5)]), on: stand.group, port: phone.port)
        try await stand.wait(forCommands: ["X95.", "L", "X95."])
        try await back.stop()
      }
      #expect(stand.log.lines.contains { $0.hasPrefix("warning: cannot connect to the phone: ") })
    }
  }

  @Test func `A phone that was never there leaves the turret alone, and stopping is immediate`()
    async throws
  {
    try await FollowStand.with(VisionScript()) { stand, phone in
      try await phone.stop()
      try await stand.follow(port: phone.port) {
        try await stand.wait(for: "five refusals") {
          try await stand.counts().refusedConnections >= 5
        }
      }
      #expect(stand.commands == [])
    }
  }

  @Test func `Repeated following leaves nothing behind`() async throws {
    try await FollowStand.with(VisionScript([.fields(5)])) { stand, phone in
      for turn in 1...30 {
        try await stand.follow(port: phone.port) {
          // Every other one is stopped wherever it is.
          if turn.isMultiple(of: 2) {
            try await stand.wait(for: "turn \(turn)", until: { stand.commands.count >= turn / 2 })
          }
        }
      }
      try await stand.wait(for: "the phone to be left") { phone.openConnections == 0 }
    }
  }
}
