import Engine
import NIOCore
import NIOPosix
import NetworkTestSupport
import Sketches
import TestSupport
import Testing

@testable import Network

/// Clients that cause answers, do not read them, and end the connection with a reset. The write
/// that fails then makes SwiftNIO read the rest of the socket's data within that write.
@Suite(.ownThread, .serialized)
struct ResetTests {
  enum Way: CaseIterable {
    case webSocket, secureWebSocket, tcp
  }

  /// How many frames precede the reset: a few numbers up to 40, or all of them on request, and
  /// then some up to 1 500.
  private static let counts =
    (Seeds.areRequested ? Array(0...40) : Array(0...5) + [8, 13, 21, 34])
    + [60, 100, 160, 230, 400, 700, 1_500]

  private static let ways = Way.allCases.filter { TLSLayer.isBuiltIn || $0 != .secureWebSocket }

  @Test(arguments: Self.ways, [false, true])
  func `A connection reset does not stop the gateway after any number of messages`(
    way: Way, isRaw: Bool
  ) throws {
    try TestCertificate.inFiles { files in
      for control in ControlPolicy.allCases {
        var plan = ArbiterSettings(firmware: .guarded, baud: 9_600)
        plan.isRaw = isRaw
        plan.control = control
        plan.onDisconnect = .centre
        try Self.attack(plan, way, files)
      }
    }
  }

  private static func attack(_ plan: ArbiterSettings, _ way: Way, _ files: TLSFiles) throws {
    let server = try BoardServer(plan, tls: way == .secureWebSocket ? files : nil)
    let group = MultiThreadedEventLoopGroup(numberOfThreads: 1)
    defer { group.shutdownGracefully { _ in } }
    let tls =
      way == .secureWebSocket
      ? try TLSLayer.trusting(authorities: files.certificates, closeTime: .seconds(1)) : nil
    var attempts = 0
    for text in ["zz", "X45."] {
      let message = way == .tcp ? Array((text + "\n").utf8) : ClientFrame.text(text)
      for count in counts {
        try RudeClient.run(
          Array(repeatElement(message, count: count).joined()),
          to: way == .tcp ? server.tcpAddress : server.address, isWebSocket: way != .tcp, tls: tls,
          on: group)
        attempts += 1
      }
    }
    let after = try server.countsWhenEmpty()
    #expect(after.senders == 0)
    let kind: GatewayCounts.ClientKind = way == .tcp ? .tcp : .webSocket
    #expect(after.clientsEver[kind] == attempts)
    #expect(after.messages > attempts)
  }
}
