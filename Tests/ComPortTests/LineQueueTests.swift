import Testing

@testable import ComPort

struct LineQueueTests {
  @Test func `Bytes leave in order, with the speeds and breaks between them`() {
    var queue = LineQueue()
    for item in [
      LineItem.speed(9_600), .bytes([1, 2]), .bytes([3]), .speed(300), .speed(1_200), .breakBegan,
      .breakEnded, .bytes([4]),
    ] { queue.put(item) }
    #expect(queue.count == 5)
    #expect(queue.take(room: 2) == [.speed(9_600), .bytes([1, 2])])
    #expect(queue.take(room: 0) == [])
    #expect(
      queue.take(room: 9) == [
        .bytes([3]), .speed(1_200), .breakBegan, .breakEnded, .bytes([4]),
      ])
    #expect(queue.isEmpty)
    #expect(queue.count == 0)
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
