import NIOCore
import NIOEmbedded
import Sketches
import Testing
import Traces

@testable import Network

struct DashboardSenderTests {
  private let loop = EmbeddedEventLoop()
  private let sender: DashboardSender

  init() { sender = DashboardSender(on: loop) }

  private func add(_ count: Int, from first: Int = 1) -> [RecordingClient] {
    (first..<first + count).map {
      let client = RecordingClient($0)
      sender.add(client)
      return client
    }
  }

  private func show(_ angle: Int, at milliseconds: Int64, board: Bool = true) {
    sender.show(
      DashboardMessage(
        time: .zero + .milliseconds(milliseconds),
        members: [.init("angle", .number("\(angle)")), .init("board", .bool(board))],
        history: .array([])))
    loop.advanceTime(by: .milliseconds(30))
  }

  @Test func `A dashboard receives everything first, and then what has changed`() {
    let dashboard = add(1)[0]
    show(10, at: 1_000)
    show(10, at: 1_033)
    show(20, at: 1_066)
    show(20, at: 1_100, board: false)
    #expect(
      dashboard.lines == [
        #"{"time": 1, "angle": 10, "board": true, "history": []}"#,
        #"{"time": 1.066, "angle": 20}"#,
        #"{"time": 1.1, "board": false}"#,
      ])
  }

  @Test func `A member can have another value where everything is sent`() {
    func message(_ number: Int) -> DashboardMessage {
      DashboardMessage(
        time: .zero, members: [.init("serial", .number("\(number)"))],
        history: sender.needsHistory ? .array([]) : nil,
        whole: .init("serial", .string("all")))
    }
    let first = add(1)[0]
    sender.show(message(1))
    sender.show(message(2))
    #expect(
      first.lines == [
        #"{"time": 0, "serial": "all", "history": []}"#, #"{"time": 0, "serial": 2}"#,
      ])
  }

  @Test func `A dashboard that connects later receives everything, and the others do not`() {
    let first = add(1)[0]
    show(10, at: 0)
    let second = add(1, from: 2)[0]
    show(10, at: 40)
    show(30, at: 80)
    #expect(first.lines.count == 3)
    #expect(first.lines[1] == #"{"time": 0.04}"#)
    #expect(second.lines.count == 2)
    #expect(second.lines[0].hasSuffix(#""history": []}"#))
    #expect(second.lines[1] == #"{"time": 0.08, "angle": 30}"#)
  }

  @Test func `Every second something is sent, so that a page notices that its gateway is away`() {
    let dashboard = add(1)[0]
    for step in 0..<100 { show(1, at: Int64(step) * 30) }
    #expect((3...5).contains(dashboard.lines.count))
    #expect(dashboard.lines.last?.hasPrefix(#"{"time": "#) == true)
    #expect(dashboard.lines.last?.contains("angle") == false)
  }

  @Test func `A dashboard that does not read gets the newest message when it reads again`() {
    let dashboards = add(2)
    show(1, at: 0)
    dashboards[0].isWritable = false
    for angle in 2...9 { show(angle, at: Int64(angle)) }
    dashboards[0].isWritable = true
    show(10, at: 10)
    #expect(dashboards[0].lines.count == 2)
    #expect(dashboards[0].lines[1].contains(#""angle": 10, "board": true"#))
    #expect(dashboards[1].lines.count == 10)
    #expect(sender.missed == 8)
  }

  @Test
  func `A thousand dashboards are written to with pauses, and a newer message replaces an older`() {
    let dashboards = add(1_000)
    let message = { (angle: Int) in
      DashboardMessage(
        time: .zero, members: [.init("angle", .number("\(angle)"))], history: .array([]))
    }
    sender.show(message(1))
    #expect(dashboards.filter { !$0.prepared.isEmpty }.count == 12)
    sender.show(message(2))
    loop.advanceTime(by: .milliseconds(20))
    #expect(dashboards[0].lines.count == 2)
    #expect(dashboards[999].lines.count == 1)
    #expect(dashboards.allSatisfy { $0.lines.last?.contains(#""angle": 2"#) == true })
  }

  @Test func `A history is needed only by a dashboard that receives everything`() {
    #expect(!sender.needsHistory)
    let dashboards = add(2)
    #expect(sender.needsHistory)
    show(1, at: 0)
    #expect(!sender.needsHistory)
    dashboards[0].isWritable = false
    show(2, at: 40)
    #expect(sender.needsHistory)
  }

  @Test func `A dashboard that joins while others are written to waits for the next history`() {
    _ = add(20)
    show(1, at: 0)
    sender.show(DashboardMessage(time: .zero, members: [.init("angle", .number("2"))]))
    let late = add(1, from: 21)[0]
    loop.advanceTime(by: .milliseconds(30))
    #expect(late.lines.isEmpty)
    #expect(sender.needsHistory)
    show(3, at: 80)
    #expect(late.lines.count == 1)
  }

  @Test func `After a rewind every dashboard receives everything`() {
    let dashboard = add(1)[0]
    show(1, at: 5_000)
    sender.startOver()
    show(1, at: 1_000)
    #expect(dashboard.lines.count == 2)
    #expect(dashboard.lines[1].hasPrefix(#"{"time": 1, "angle": 1"#))
  }

  @Test func `A dashboard that leaves while others are written to stops nothing`() {
    let dashboards = add(40)
    for (index, dashboard) in dashboards.enumerated() {
      dashboard.onSend = { [sender] in
        if index % 3 == 0 { sender.remove(dashboard) }
      }
    }
    show(1, at: 0)
    #expect(dashboards.allSatisfy { $0.lines.count == 1 })
    #expect(sender.count == 26)
    for dashboard in dashboards { sender.remove(dashboard) }
    show(2, at: 40)
    #expect(!sender.isWatched)
  }
}
