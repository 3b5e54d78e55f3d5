import Sketches
import Testing

@testable import Serial

struct LineQueueTests {
  private static let even = LineFormat(dataSize: 8, parity: .even)

  @Test func `Bytes leave in order, with the speeds, formats and breaks between them`() {
    var queue = LineQueue()
    for item in [
      LineItem.speed(9_600), .bytes([1, 2]), .bytes([3]), .speed(300), .format(Self.even),
      .speed(1_200), .format(.standard), .format(Self.even), .breakBegan, .breakEnded, .bytes([4]),
    ] { queue.put(item) }
    #expect(queue.count == 5)
    #expect(queue.take(room: 2) == [.speed(9_600), .bytes([1, 2])])
    #expect(queue.take(room: 0) == [])
    #expect(
      queue.take(room: 9) == [
        .bytes([3]), .speed(1_200), .format(Self.even), .breakBegan, .breakEnded, .bytes([4]),
      ])
    #expect(queue.isEmpty)
    #expect(queue.count == 0)
  }

  @Test(
    arguments: [
      (0, 0, [.bytes([1, 2]), .speed(300), .breakBegan, .bytes([3, 4]), .breakEnded]),
      (1, 1, [.bytes([2]), .speed(300), .breakBegan, .bytes([3, 4]), .breakEnded]),
      (4, 3, [.speed(300), .breakBegan, .bytes([4]), .breakEnded]),
      (9, 4, [.speed(300), .breakBegan, .breakEnded]),
    ] as [(Int, Int, [LineItem])])
  func `The first bytes can be dropped, without speeds, formats and breaks`(
    _ limit: Int, _ count: Int, _ rest: [LineItem]
  ) {
    var queue = LineQueue()
    let items: [LineItem] = [
      .bytes([1, 2]), .speed(300), .breakBegan, .bytes([3, 4]), .breakEnded,
    ]
    for item in items { queue.put(item) }
    #expect(queue.slowest == 300)
    #expect(queue.drop(first: limit) == count)
    #expect(queue.count == 5 - count)
    #expect(queue.take(room: 9) == rest)
    #expect(queue.slowest == nil)
  }

  @Test func `A purge drops the bytes and keeps the rest`() {
    var queue = LineQueue()
    for item in [
      LineItem.bytes([1]), .speed(300), .bytes([2]), .breakBegan, .bytes([3]), .breakEnded,
    ] { queue.put(item) }
    queue.purge()
    #expect(queue.count == 1)
    #expect(queue.take(room: 9) == [.speed(300), .breakBegan, .breakEnded])
  }
}
