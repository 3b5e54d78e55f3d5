import Engine
import Logging
import NIOCore
import NIOPosix
import NetworkTestSupport
import Sketches
import TestSupport
import Testing
import TurretLink

@testable import Network

/// The phone as a client of the gateway.
@Suite(.ownThread) struct VisionSenderTests {
  @Test func `A reconnected board is aimed at the phone's last target without a new answer`()
    async throws
  {
    try await FollowStand.with(VisionScript([.fields(5)])) { stand, phone in
      let loop = stand.group.next()
      let port = phone.port
      let (bench, sender) = try await loop.submit {
        let log = stand.log.logger
        let settings = ArbiterSettings(firmware: .guarded, baud: 9_600)
        let clients = NetworkClients(settings, watchers: Broadcaster(on: loop), log: log)
        let bench = ArbiterBench(clients, settings)
        let plan = FollowPlan(
          endpoint: Endpoint(host: "127.0.0.1", port: port), settings: FollowSettings())
        let sender = VisionSender(plan, clients: clients, on: loop, log: log)
        sender.start()
        return (
          NIOLoopBound(bench, eventLoop: loop), NIOLoopBound(sender, eventLoop: loop)
        )
      }.get()
      let next = {
        try await loop.submit { () -> String? in
          bench.value.occur(.passed)
          return bench.value.next().map { String(decoding: $0, as: UTF8.self) }
        }.get()
      }
      try await stand.wait(for: "the aim") { try await next() == "X95." }
      for _ in 0..<2 {
        try await loop.submit { bench.value.occur(.boardIsGone) }.get()
        #expect(try await next() == nil)
        try await loop.submit { bench.value.occur(.boardIsBack(bootTime: .zero)) }.get()
        #expect(try await next() == "X95.")
        #expect(try await next() == nil)
      }
      #expect(try await loop.submit { bench.value.clients.counts.accepted }.get() == [.aim: 1])
      try await loop.flatSubmit { sender.value.stop() }.get()
    }
  }
}
