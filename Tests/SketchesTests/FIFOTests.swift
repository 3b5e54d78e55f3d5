import Testing

@testable import Sketches

struct FIFOTests {
  @Test(arguments: 0...9)
  func `The first late element of a queue is found wherever it is`(count: Int) {
    var queue = FIFO<Int>()
    for number in 0..<(count + 3) { queue.append(number) }
    for _ in 0..<3 { queue.dropFirst() }
    #expect(queue.count == count)
    for index in 0...count { #expect(queue.indexOfFirst { $0 >= index + 3 } == index) }
  }
}
