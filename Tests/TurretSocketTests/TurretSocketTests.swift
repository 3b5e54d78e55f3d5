import Aim
import Foundation
import Testing
import TurretLink
import TurretSocket

/// The client for apps. On Linux Foundation has no WebSocket, so only its failure can be tested.
struct TurretSocketTests {
  @MainActor private final class Shown {
    var statuses: [TurretLink.Status] = []
  }

  @MainActor @Test(.timeLimit(.minutes(1)))
  func `A connection that cannot be made is shown, and is tried again`() async throws {
    var settings = TurretLink.Settings()
    settings.firstPause = 0.01
    settings.longestPause = 0.02
    let shown = Shown()
    let address = try #require(URL(string: "ws://127.0.0.1:1/"))
    let socket = TurretSocket(to: address, token: "secret", settings: settings) { status in
      shown.statuses.append(status)
    }
    #expect(socket.status.connection == .ended)
    socket.start()
    socket.send(.aim(90))
    func failures() -> Int {
      shown.statuses.count { if case .disconnected = $0.connection { true } else { false } }
    }
    while failures() < 3 { try await Task.sleep(for: .milliseconds(1)) }
    socket.stop()
    #expect(socket.status.connection == .ended)
    let count = shown.statuses.count
    try await Task.sleep(for: .milliseconds(50))
    #expect(shown.statuses.count == count, "a stopped connection is tried no more")
  }
}
