import Logging
import NIOCore
import NIOPosix
import TestSupport
import Testing
import Turret

@testable import Clients
@testable import Gateway
@testable import Networking

/// The phone as a client of the gateway.
@Suite(.ownThread) struct VisionSenderTests {
  @Test func `A reconnected board is aimed at the phone's last target without a new answer`()
    async throws
  {
    try await FollowStand.with(VisionScript([.fields(5)])) { stand, phone in
      let loop = stand.group.next()
      let port = phone.port
      let (runner, sender) = try await loop.submit {
        let log = stand.log.logger
        let runner = ArbiterRunner(
          ArbiterSettings(firmware: .guarded, baud: 9_600), watchers: Broadcaster(on: loop),
          log: log)
        let plan = FollowPlan(
          endpoint: Endpoint(host: "127.0.0.1", port: port), settings: FollowSettings())
        let sender = VisionSender(plan, arbiter: runner, on: loop, log: log)
        sender.start()
        return (
          NIOLoopBound(runner, eventLoop: loop), NIOLoopBound(sender, eventLoop: loop)
        )
      }.get()
      let next = {
        try await loop.submit { () -> String? in
          runner.value.expire()
          return runner.value.next(waitingCount: 0, room: 100)
            .map { String(decoding: $0, as: UTF8.self) }
        }.get()
      }
      try await stand.wait(for: "the aim") { try await next() == "X95." }
      for _ in 0..<2 {
        try await loop.submit { runner.value.boardIsGone() }.get()
        #expect(try await next() == nil)
        try await loop.submit { runner.value.boardIsBack(bootTime: .zero) }.get()
        #expect(try await next() == "X95.")
        #expect(try await next() == nil)
      }
      #expect(try await loop.submit { runner.value.counts.accepted }.get() == [.aim: 1])
      try await loop.flatSubmit { sender.value.stop() }.get()
    }
  }
}
