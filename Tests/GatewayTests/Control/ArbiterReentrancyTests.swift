import Gateway
import Networking
import Testing
import Turret

/// A write can fail, and SwiftNIO then passes on what the socket still holds before the write
/// returns: the runner is called back while it is writing to a client.
struct ArbiterReentrancyTests {
  @Test func `Messages that arrive while a notice is written are handled after it, in order`() {
    let stand = ArbiterStand()
    let client = stand.join(1)
    client.onSend = {
      client.onSend = {}
      stand.send("Y", from: client)
      stand.send("X20.", from: client)
    }
    stand.send("ZX10.", from: client)
    #expect(client.codes == ["not-a-command", "not-a-command"])
    #expect(client.messages[1].contains(#""bytes": "Y""#))
    #expect(stand.drain() == ["X20."])
    #expect(stand.runner.counts.accepted == [.aim: 2])
  }

  @Test func `A client can be found closed while a notice is sent to it`() {
    for control in ControlPolicy.allCases {
      let stand = ArbiterStand(control: control, onDisconnect: .centre)
      let client = stand.join(1)
      client.onSend = {
        stand.runner.receivedAll()
        stand.runner.left(client, .closed)
        stand.runner.left(client, .closed)
        stand.send("X5.", from: client)
      }
      stand.send("Z", from: client)
      #expect(stand.runner.counts.senders == 0)
      #expect(stand.drain() == ["X90."], "\(control)")
    }
  }

  @Test func `The bench's turn follows everything that a write has caused`() {
    let stand = ArbiterStand()
    let client = stand.join(1)
    let bench = DrainingBench(stand)
    stand.runner.bench = bench
    client.onSend = {
      client.onSend = {}
      stand.send("X7.", from: client)
      #expect(bench.turns == [])
    }
    stand.runner.received(Array("ZL".utf8), as: .text, from: client)
    #expect(bench.turns == ["LX7."])
    stand.runner.receivedAll()
    #expect(bench.turns == ["LX7.", ""])
  }

  /// The bench's calls to the runner that each write to a client.
  static let occasions: [(name: String, occur: @Sendable (ArbiterStand) -> Void)] = [
    ("the board answers", { $0.runner.deliver(Array("ok\n".utf8)) }),
    ("the board goes", { $0.runner.boardIsGone() }),
    ("a number is overdue", { $0.pass(.seconds(1)) }),
    (
      "the bench ends",
      {
        $0.runner.beginLeaving()
        $0.runner.giveUp()
      }
    ),
  ]

  @Test(arguments: occasions.indices, [false, true])
  func `The arbiter can be called back during any write`(occasion: Int, isRaw: Bool) {
    // In raw mode there are no numbers to wait for.
    if isRaw, Self.occasions[occasion].name == "a number is overdue" { return }
    let stand = ArbiterStand(raw: isRaw, control: .latest, onDisconnect: .centre)
    let first = stand.join(1)
    let second = stand.join(2)
    var calls = 0
    for client in [first, second] {
      client.onSend = {
        calls += 1
        guard calls < 20 else { return }
        stand.send("ZX1", from: client)
        stand.runner.expire()
        _ = stand.drain()
        _ = stand.runner.counts
        _ = stand.runner.nextDeadline
        if calls == 5 { stand.runner.left(client, .silent) }
      }
    }
    stand.send("TX10.X1", from: second)
    stand.send("TTX10.", from: first)
    Self.occasions[occasion].occur(stand)
    #expect(calls > 0, "\(Self.occasions[occasion].name)")
    #expect(stand.runner.counts.senders == (calls >= 5 ? 1 : 2))
  }
}
