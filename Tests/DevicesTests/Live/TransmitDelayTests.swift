import Devices
import Sketches
import Testing

@Suite struct TransmitDelayTests {
  private func expectTaken(_ delay: inout TransmitDelay, by instant: Instant, _ bytes: [UInt8]) {
    let taken = delay.take(by: instant)
    #expect(taken.bytes == bytes)
  }

  /// Ten bits at each speed, truncated to whole nanoseconds.
  @Test(arguments: [(9_600, Int64(1_041_666)), (115_200, 86_805), (1_200, 8_333_333)])
  func `A byte arrives when its stop bit ends`(_ baud: Int, _ byteTime: Int64) {
    var delay = TransmitDelay(baud: baud)
    #expect(delay.nextDeadline == nil)
    let start = Instant.zero + .milliseconds(3)
    delay.put(0x41, at: start)
    let due = start + .nanoseconds(byteTime)
    #expect(delay.nextDeadline == due)
    expectTaken(&delay, by: due - .nanoseconds(1), [])
    expectTaken(&delay, by: due, [0x41])
    expectTaken(&delay, by: .distantFuture, [])
    #expect(delay.nextDeadline == nil)
  }

  @Test func `Bytes are taken in order, as many as have arrived`() {
    var delay = TransmitDelay(baud: 1_000_000)
    for number in 0..<5 { delay.put(UInt8(number), at: .zero + .microseconds(10 * Int64(number))) }
    expectTaken(&delay, by: .zero + .microseconds(30), [0, 1, 2])
    #expect(delay.nextDeadline == .zero + .microseconds(40))
    expectTaken(&delay, by: .zero + .microseconds(50), [3, 4])
  }
}
