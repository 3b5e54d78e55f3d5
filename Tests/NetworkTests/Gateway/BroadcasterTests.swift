import NIOCore
import NIOEmbedded
import Network
import Sketches
import Testing
import Traces

struct BroadcasterTests {
  private let loop = EmbeddedEventLoop()
  private let broadcaster: Broadcaster

  init() { broadcaster = Broadcaster(on: loop) }

  private func add(_ count: Int, from first: Int = 1) -> [RecordingClient] {
    (first..<first + count).map {
      let client = RecordingClient($0)
      broadcaster.add(client)
      return client
    }
  }

  private func publish(_ numbers: some Sequence<Int>) {
    for number in numbers { broadcaster.publish(Self.event(number)) }
  }

  private static func event(_ number: Int) -> Event {
    Event(.zero + .milliseconds(Int64(number)), .mark("m\(number)"))
  }

  /// The events' lines.
  private static func lines(_ numbers: some Sequence<Int>) -> [String] {
    numbers.map { number in
      var line: [UInt8] = []
      line.appendLine(event(number))
      return String(decoding: line.dropLast(), as: UTF8.self)
    }
  }

  private func pass(_ milliseconds: Int64) { loop.advanceTime(by: .milliseconds(milliseconds)) }

  @Test func `A thousand watchers share one buffer, which is written only after the turn`() {
    let watchers = add(1_000)
    publish(1...3)
    #expect(watchers.allSatisfy { $0.prepared.isEmpty })
    pass(100)
    #expect(watchers.allSatisfy { $0.prepared.count == 1 })
    #expect(watchers[0].lines == Self.lines(1...3))
    let places = Set(
      watchers.map { $0.prepared[0].withUnsafeReadableBytes { Int(bitPattern: $0.baseAddress) } })
    #expect(places.count == 1)
  }

  @Test func `The loop gets pauses while many watchers are written to`() {
    let watchers = add(30)
    publish(1...1)
    loop.advanceTime(by: .microseconds(1))
    #expect(watchers.filter { !$0.prepared.isEmpty }.count == 12)
    loop.advanceTime(by: .microseconds(100))
    #expect(watchers.filter { !$0.prepared.isEmpty }.count == 24)
    loop.advanceTime(by: .microseconds(100))
    #expect(watchers.allSatisfy { $0.lines == Self.lines(1...1) })
  }

  @Test func `Lines in quick succession are gathered for 25 ms`() {
    let watcher = add(1)[0]
    for number in 1...100 {
      publish([number])
      pass(1)
    }
    pass(25)
    #expect(watcher.lines == Self.lines(1...100))
    #expect((4...6).contains(watcher.prepared.count))
  }

  @Test func `A watcher that does not read is later told what it missed; others miss nothing`() {
    let watchers = add(3)
    let slow = watchers[1]
    publish([1])
    pass(30)
    slow.isWritable = false
    for number in 2...4 {
      publish([number])
      pass(30)
    }
    #expect(broadcaster.missed == 3)
    slow.isWritable = true
    publish(5...6)
    pass(30)
    publish([7])
    pass(30)
    #expect(slow.lines.count == 5)
    #expect(slow.lines[0] == Self.lines([1])[0])
    #expect(slow.lines[1].contains("x-missed") && slow.lines[1].contains("3"))
    #expect(Array(slow.lines[2...]) == Self.lines(5...7))
    for index in [0, 2] { #expect(watchers[index].lines == Self.lines(1...7)) }
    #expect(broadcaster.missed == 3)
  }

  @Test func `A watcher found closed while it is written to takes nothing from the others`() {
    let watchers = add(5)
    for gone in [watchers[0], watchers[2], watchers[4]] {
      gone.onSend = { [broadcaster] in
        broadcaster.remove(gone)
        broadcaster.remove(watchers[1])
      }
    }
    publish([1])
    pass(30)
    #expect(broadcaster.count == 1)
    #expect(watchers[3].lines == Self.lines([1]))
    publish([2])
    pass(30)
    #expect(watchers[3].lines == Self.lines(1...2))
  }

  @Test func `A watcher found closed at its first line is removed`() {
    broadcaster.begin(Header(firmware: .guarded, duration: nil, title: nil))
    let client = RecordingClient(1)
    client.onSend = { [broadcaster] in broadcaster.remove(client) }
    broadcaster.add(client)
    #expect(broadcaster.count == 0)
  }

  @Test func `A late watcher receives the header and then the lines from that time on`() {
    broadcaster.begin(Header(firmware: .guarded, duration: nil, title: nil))
    let early = add(1)[0]
    publish([1])
    pass(30)
    let late = add(1, from: 2)[0]
    publish([2])
    pass(30)
    #expect(early.lines.count == 3 && late.lines.count == 2)
    #expect(early.lines[0] == late.lines[0])
    #expect(late.lines[0].contains("guarded") && late.lines[0].contains("unknown"))
    #expect(Array(early.lines[1...]) == Self.lines(1...2))
    #expect(Array(late.lines[1...]) == Self.lines([2]))
  }

  @Test func `A header that arrives after the watchers is sent to all of them`() {
    let watchers = add(2)
    broadcaster.begin(Header(firmware: .classic, duration: nil, title: nil))
    for watcher in watchers { #expect(watcher.lines.count == 1) }
  }

  /// The index of the watcher that leaves: before, at or after the one being written to.
  @Test(arguments: [0, 5, 11, 12, 17, 29])
  func `A watcher that leaves while it is written to takes no line from the others`(leaver: Int) {
    let watchers = add(30)
    watchers[leaver].onSend = { broadcaster.remove(watchers[leaver]) }
    publish([1])
    pass(30)
    publish([2])
    pass(30)
    for (index, watcher) in watchers.enumerated() {
      #expect(watcher.lines == Self.lines(index == leaver ? [1] : [1, 2]), "\(index)")
    }
    #expect(broadcaster.count == 29)
  }

  @Test(arguments: [0, 11, 12, 29])
  func `A watcher that leaves in the middle of a round takes no line from the others`(leaver: Int) {
    let watchers = add(30)
    publish([1])
    loop.advanceTime(by: .microseconds(1))
    let hadIt = !watchers[leaver].prepared.isEmpty
    broadcaster.remove(watchers[leaver])
    let late = add(1, from: 31)[0]
    pass(30)
    for (index, watcher) in watchers.enumerated() where index != leaver {
      #expect(watcher.lines == Self.lines([1]), "\(index)")
    }
    #expect(watchers[leaver].prepared.count == (hadIt ? 1 : 0))
    #expect(late.lines.count <= 1)
  }

  @Test func `Without a watcher, nothing is gathered`() {
    publish([1])
    let watcher = add(1)[0]
    #expect(broadcaster.isHeard)
    publish([2])
    broadcaster.remove(watcher)
    #expect(!broadcaster.isHeard)
    let next = add(1, from: 2)[0]
    publish([3])
    pass(30)
    #expect(next.lines == Self.lines([3]))
    #expect(watcher.lines == [])
  }

  @Test func `All watchers miss more than 256 KiB in one round and are told so`() {
    let watchers = add(2)
    let text = String(repeating: "x", count: 1_000)
    for number in 0..<300 {
      broadcaster.publish(Event(.zero + .milliseconds(Int64(number)), .mark(text)))
    }
    pass(30)
    let missed = 300 - (watchers[0].lines.count - 1)
    #expect((30...60).contains(missed))
    #expect(broadcaster.missed == 2 * missed)
    for watcher in watchers {
      #expect(watcher.lines.last?.contains("x-missed") == true)
      #expect(watcher.lines.last?.contains("\(missed)") == true)
    }
  }
}
