import Engine
import NetworkTestSupport
import Sketches
import Testing
import Traces

@testable import Network

struct DashboardMembersTests {
  /// The message that a new dashboard receives.
  private static func shown(_ stand: ClientStand, at seconds: Int64 = 5) -> String {
    let dashboard = RecordingClient(99)
    stand.clients.dashboards.run(on: stand.loop)
    stand.clients.dashboardJoined(dashboard)
    stand.clients.show(
      DashboardMessage(time: .zero + .seconds(seconds), members: [], history: .array([])))
    stand.clients.watcherLeft(dashboard, .closed)
    return dashboard.lines.last ?? ""
  }

  @Test func `It shows who controls, and who is connected`() {
    let stand = ClientStand()
    #expect(Self.shown(stand).contains(#""control": null"#))
    _ = stand.join(1)
    _ = stand.join(2)
    let text = Self.shown(stand)
    let controller = #""control": {"client": 1, "from": "192.0.2.1:50000", "name": null}"#
    #expect(text.contains(controller))
    #expect(text.contains(#""clients": {"senders": 2, "watchers": 1}"#))
    #expect(text.contains(#""policy": "first""#))
    #expect(text.contains(#""board": {"there": true, "problem": null}"#))
  }

  @Test func `A refused message is shown with its reason, its sender and the time it arrived`() {
    let stand = ClientStand()
    let first = stand.join(1)
    let second = stand.join(2)
    stand.send("hello", from: first)
    stand.bench.pass(.seconds(2))
    stand.send("X45.", from: second)
    let text = Self.shown(stand)
    #expect(text.contains(#""refused": 2"#))
    #expect(text.contains(#""number": 1, "time": 0, "bytes": "hello", "reason": "not-a-command""#))
    #expect(
      text.contains(
        #""number": 2, "time": 2, "bytes": "X45.", "reason": "not-in-control", "#
          + #""text": "from a client not in control", "from": {"client": 2"#))
    stand.bench.pass(.milliseconds(1_500))
    #expect(Self.shown(stand).contains(#""number": 1, "time": 0,"#))
  }

  @Test func `The last refused messages are shown, and all are counted`() {
    let stand = ClientStand()
    let client = stand.join(1)
    for _ in 0..<500 { stand.send("!", from: client) }
    let text = Self.shown(stand)
    #expect(text.contains(#""number": 500"#))
    #expect(!text.contains(#""number": 488"#))
    #expect(stand.clients.shownRefusals.count <= 50)
  }

  @Test func `An aim that a newer one replaced is not refused`() {
    let stand = ClientStand()
    let client = stand.join(1)
    for angle in 0..<20 { stand.send("X\(angle).", from: client) }
    #expect(Self.shown(stand).contains(#""refused": 0"#))
  }

  @Test(arguments: [
    ("/?name=kitchen", "kitchen"), ("/?name=my%20phone-2_a.b", "my phone-2_a.b"), ("/", nil),
    ("/?name=", nil), ("/?name=%3Cb%3E", nil), ("/?name=a&name=b", nil), ("/?name=%ff", nil),
    ("/?name=aaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaa", "aaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaa"),
    ("/?name=aaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaa", nil), ("/?name=%C3%A9", nil),
    ("/?name=a%0Ab", nil), ("ftp://x", nil),
  ])
  func `A client's name has letters, digits and little else`(_ uri: String, _ name: String?) {
    #expect(ClientName.of(uri) == name)
  }

  @Test func `It shows what a client can send`() {
    #expect(Self.shown(ClientStand()).contains(#""accepts": "aims""#))
    #expect(Self.shown(ClientStand(raw: true)).contains(#""accepts": "bytes""#))
  }

  @Test func `What a dashboard sends is an input of the board, and never a command`() {
    let stand = ClientStand()
    let (dashboard, watcher) = (RecordingClient(98), RecordingClient(97))
    stand.clients.dashboards.run(on: stand.loop)
    stand.clients.dashboardJoined(dashboard)
    stand.clients.watcherJoined(watcher)
    let line = #"["set", "D2", 1]"#
    stand.send(line, from: dashboard)
    stand.send("X45.", from: dashboard)
    #expect(stand.clients.takeInputs() == [Array(line.utf8), Array("X45.".utf8)])
    #expect(stand.clients.takeInputs().isEmpty)
    #expect(stand.bench.drain() == "")
    #expect(stand.clients.counts.accepted.isEmpty)
  }

  @Test func `A session can be rewound while only dashboards are connected`() {
    let stand = ClientStand()
    stand.clients.dashboards.run(on: stand.loop)
    stand.clients.dashboardJoined(RecordingClient(98))
    #expect(stand.clients.refusalToGoBack == nil)
    let sender = stand.join(1)
    #expect(stand.clients.refusalToGoBack?.contains("a client can send") == true)
    stand.clients.left(sender, .closed)
    #expect(stand.clients.refusalToGoBack == nil)
    stand.clients.watcherJoined(RecordingClient(97))
    #expect(stand.clients.refusalToGoBack != nil)
  }
}
