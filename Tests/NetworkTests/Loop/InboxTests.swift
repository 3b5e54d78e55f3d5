import Testing

@testable import Network

struct InboxTests {
  @Test func `An event that arrives while another is handled waits for its end`() {
    var inbox = Inbox<Int>()
    var dealtWith: [Int] = []
    func handle(_ event: Int) {
      guard inbox.put(event) else { return }
      while let event = inbox.next() {
        dealtWith.append(event)
        // Each calls back with two more, as a write to a channel can.
        if event < 10 {
          handle(event * 10)
          handle(event * 10 + 1)
        }
        dealtWith.append(-event)
      }
    }
    handle(1)
    handle(2)
    #expect(dealtWith == [1, -1, 10, -10, 11, -11, 2, -2, 20, -20, 21, -21])
    #expect(!inbox.isBusy)
  }
}
