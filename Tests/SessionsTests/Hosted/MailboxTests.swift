import Sketches
import Synchronization
import Testing
import Traces

@testable import Engine
@testable import Sessions

/// Requests from any thread, and their answers.
@Suite struct MailboxTests {
  /// The messages that a client has received.
  private final class Received: Sendable {
    private let state = Mutex<[APIMessage]>([])

    func take(_ message: APIMessage) { state.withLock { $0.append(message) } }

    var messages: [APIMessage] { state.withLock { $0 } }
  }

  private func refusal(_ why: String) -> APIMessage {
    .refusal(APIRequest.Mistake(id: nil, message: why))
  }

  @Test func `An answer reaches the request that it belongs to`() throws {
    let (mailbox, first, second) = (try Mailbox(), Received(), Received())
    mailbox.ask(.state) { first.take($0) }
    mailbox.ask(.counts) { second.take($0) }
    let requests = mailbox.look().map { input -> APIRequest? in
      if case .request(.number, let request) = input { request } else { nil }
    }
    #expect(requests == [.state, .counts])
    #expect(mailbox.look().isEmpty)
    let answer = APIMessage.answer(.number("1"), .done(at: .zero))
    mailbox.put(answer)
    mailbox.put(answer)
    #expect(first.messages == [] && second.messages == [answer])
  }

  @Test func `A request without an answer is refused at the end, and so is a later one`() throws {
    let (mailbox, received) = (try Mailbox(), Received())
    mailbox.ask(.state) { received.take($0) }
    mailbox.close("the board is gone")
    mailbox.finish()
    mailbox.ask(.counts) { received.take($0) }
    #expect(received.messages == [refusal("the board is gone"), refusal("the board is gone")])
  }

  @Test func `The end is kept, whether it was requested or not`() throws {
    let end = APIEnd(time: .zero, status: .agree, heldCount: 1, failedCount: 0, rules: [])
    for message in [APIMessage.over(end), .answer(.number("0"), .over(end))] {
      let mailbox = try Mailbox()
      #expect(mailbox.end == nil)
      mailbox.put(message)
      #expect(mailbox.end == end)
    }
  }

  @Test func `More requests than a session takes are refused`() throws {
    let (mailbox, received) = (try Mailbox(), Received())
    for _ in 0...10_000 { mailbox.ask(.state) { received.take($0) } }
    #expect(
      received.messages
        == [refusal("10000 requests have no answer yet; a session can have no more")])
    #expect(mailbox.look().count == 10_000)
  }

  @Test func `No more remarks are kept than the limit`() throws {
    let mailbox = try Mailbox()
    for number in 0..<200 { mailbox.add(remark: "\(number)") }
    #expect(mailbox.remarks.count == 100 && mailbox.remarks.last == "99")
  }

  @Test func `The first answer counts`() {
    let reply = Reply()
    reply.take(.lost(1))
    reply.take(.lost(2))
    #expect(reply.taken == .lost(1))
  }

  @Test func `An answer that comes before its wait is returned`() async {
    let reply = Reply()
    reply.take(nil)
    let message = await withCheckedContinuation { reply.wait($0) }
    #expect(message == nil)
  }
}
