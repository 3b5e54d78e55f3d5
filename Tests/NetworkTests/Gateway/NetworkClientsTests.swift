import Engine
import NIOEmbedded
import Network
import NetworkTestSupport
import Sketches
import Testing

/// A write can fail, and SwiftNIO then passes on what the socket still holds before the write
/// returns: the clients are called back while one of them is written to.
struct NetworkClientsTests {
  @Test(arguments: [(Transport.webSocket, ""), (.tcp, "\n")])
  func `A notice is one JSON object, and one line over TCP`(transport: Transport, end: String) {
    let stand = ClientStand()
    let client = stand.join(1, transport)
    stand.send("Z\u{1}", from: client)
    stand.bench.pass(.milliseconds(100))
    #expect(
      client.messages == [
        """
        {"error": "not-a-command", "reason": "unknown", "bytes": "Z\\u0001", "count": 2, \
        "message": "not a command; X0. to X180. aims, L sweeps"}
        """ + end
      ])
    #expect(client.kinds == [.text])
  }

  @Test func `A client that does not read is told later how much it missed`() {
    let stand = ClientStand()
    let client = stand.join(1)
    client.isWritable = false
    for _ in 0..<5 { stand.send("Z", from: client) }
    #expect(client.messages == [])
    client.isWritable = true
    stand.send("Z", from: client)
    #expect(client.codes == ["notices-missed", "not-a-command"])
    #expect(client.messages[0].contains("5 notices"))
  }

  @Test func `A client that is ahead of the line is not read until the line has room`() {
    let stand = ClientStand(raw: true)
    let client = stand.join(1)
    stand.send(String(repeating: "a", count: 65_536), from: client)
    #expect(!client.isReading)
    #expect(stand.bench.drain().count == 65_536)
    #expect(client.isReading)
  }

  @Test func `Messages that arrive while a notice is written are handled after it, in order`() {
    let stand = ClientStand()
    let client = stand.join(1)
    client.onSend = {
      client.onSend = {}
      stand.send("Y", from: client)
      stand.send("X20.", from: client)
    }
    stand.send("ZX10.", from: client)
    #expect(client.codes == ["not-a-command", "not-a-command"])
    #expect(client.messages[1].contains(#""bytes": "Y""#))
    #expect(stand.bench.drain() == "X20.")
    #expect(stand.clients.counts.accepted == [.aim: 2])
  }

  @Test func `A client can be found closed while a notice is sent to it`() {
    for control in ControlPolicy.allCases {
      let stand = ClientStand(control: control, onDisconnect: .centre)
      let client = stand.join(1)
      client.onSend = {
        stand.clients.receivedAll()
        stand.clients.left(client, .closed)
        stand.clients.left(client, .closed)
        stand.send("X5.", from: client)
      }
      stand.send("Z", from: client)
      #expect(stand.clients.counts.senders == 0)
      #expect(stand.bench.drain() == "X90.", "\(control)")
    }
  }

  @Test func `What a write has caused is handled in a turn of its own`() {
    let stand = ClientStand()
    let client = stand.join(1)
    var turns: [String] = []
    stand.bench.atTurnsEnd = { turns.append(stand.bench.drain()) }
    client.onSend = {
      client.onSend = {}
      stand.send("X7.", from: client)
      #expect(turns == [])
    }
    stand.send("ZL", from: client)
    #expect(turns.joined() == "LX7.")
    stand.clients.receivedAll()
    #expect(turns.last == "")
  }

  /// What happens to the bench, and causes a write to a client.
  static let occasions: [(name: String, occur: @Sendable (ArbiterBench) -> Void)] = [
    ("the board answers", { $0.occur(.boardSent(Array("ok\n".utf8))) }),
    ("the board goes", { $0.occur(.boardIsGone) }),
    ("a number is overdue", { $0.pass(.seconds(1)) }),
    (
      "the bench ends",
      {
        $0.occur(.leaving)
        $0.occur(.over)
      }
    ),
  ]

  @Test(arguments: occasions.indices, [false, true])
  func `The clients can be called back during any write`(occasion: Int, isRaw: Bool) {
    // In raw mode there are no numbers to wait for.
    if isRaw, Self.occasions[occasion].name == "a number is overdue" { return }
    let stand = ClientStand(raw: isRaw, control: .latest, onDisconnect: .centre)
    let first = stand.join(1)
    let second = stand.join(2)
    var calls = 0
    for client in [first, second] {
      client.onSend = {
        calls += 1
        guard calls < 20 else { return }
        stand.send("ZX1", from: client)
        stand.bench.occur(.passed)
        _ = stand.bench.drain()
        _ = stand.clients.counts
        if calls == 5 { stand.clients.left(client, .silent) }
      }
    }
    stand.send("TX10.X1", from: second)
    stand.send("TTX10.", from: first)
    Self.occasions[occasion].occur(stand.bench)
    #expect(calls > 0, "\(Self.occasions[occasion].name)")
    #expect(stand.clients.counts.senders == (calls >= 5 ? 1 : 2))
  }

  @Test func `What clients do after the bench's last turn is counted`() {
    let stand = ClientStand()
    let client = stand.join(1)
    stand.clients.bench = nil
    stand.send("X1.", from: client)
    stand.clients.left(client, .closed)
    #expect(stand.clients.counts.accepted == [.aim: 1])
    #expect(stand.clients.counts.senders == 0)
  }

  @Test func `What a client sends before its session begins waits for the first turn`() {
    let stand = ClientStand()
    (stand.clients.bench, stand.clients.owner) = (nil, nil)
    let client = stand.join(1)
    stand.send("X1.", from: client)
    #expect(stand.clients.counts.accepted == [:])
    (stand.clients.bench, stand.clients.owner) = (stand.bench, stand.bench)
    stand.clients.receivedAll()
    #expect(stand.bench.drain() == "X1.")
  }
}
