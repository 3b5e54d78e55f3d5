import Engine
import Logging
import NIOCore
import NIOPosix
import Sketches
import Synchronization
import Testing
import TurretLink

@testable import Network

/// A simulated phone and its follower on one loop, and the commands that the turret would receive.
final class FollowStand: Sendable {
  let group: MultiThreadedEventLoopGroup
  private let sender: NIOLoopBoundBox<VisionSender?>
  private let turns: NIOLoopBoundBox<Turns?>
  private let told = Mutex<[String]>([])
  let log = LogCatcher()

  /// The longest wait for something, in seconds.
  private static let patience = 10.0

  private init(_ group: MultiThreadedEventLoopGroup) {
    self.group = group
    sender = .makeEmptyBox(valueType: VisionSender.self, eventLoop: group.next())
    turns = .makeEmptyBox(valueType: Turns.self, eventLoop: group.next())
  }

  /// Runs the test with a phone, and checks afterwards that nothing is left.
  static func with(
    _ script: VisionScript, _ body: (FollowStand, VisionPhone) async throws -> Void
  ) async throws {
    let group = MultiThreadedEventLoopGroup(numberOfThreads: 1)
    do {
      let phone = try await VisionPhone.start(script, on: group)
      try await body(FollowStand(group), phone)
      try await phone.stop()
    } catch {
      try await group.shutdownGracefully()
      throw error
    }
    try await group.shutdownGracefully()
  }

  /// Follows the phone at a port of the loopback. It is stopped after the body.
  func follow(
    port: Int, _ change: (inout FollowSettings) -> Void = { _ in }, _ body: () async throws -> Void
  ) async throws {
    var settings = FollowSettings()
    // So that nothing takes long.
    settings.rate = 100
    settings.connection.backOffFirst = .milliseconds(10)
    settings.connection.backOffMost = .milliseconds(50)
    change(&settings)
    try await group.next().submit { [settings, log] in
      let clients = NetworkClients(
        ArbiterSettings(firmware: .guarded, baud: 9_600), watchers: Broadcaster(),
        log: log.logger)
      let sender = VisionSender(
        FollowPlan(endpoint: Endpoint(host: "127.0.0.1", port: port), settings: settings),
        clients: clients, on: self.group.next(), log: log.logger)
      let turns = Turns(clients) { command in
        self.told.withLock { $0.append(String(decoding: command.bytes, as: UTF8.self)) }
      }
      self.turns.value = turns
      clients.bench = turns
      self.sender.value = sender
      sender.start()
    }.get()
    do {
      try await body()
    } catch {
      try await stop()
      throw error
    }
    try await stop()
  }

  /// A bench that takes only the commands.
  private final class Turns: TurnTaker {
    private let clients: NetworkClients
    private let take: (Command) -> Void

    init(_ clients: NetworkClients, _ take: @escaping (Command) -> Void) {
      self.clients = clients
      self.take = take
    }

    func forget(_ client: any Client) { clients.carryOut(.forget(client.id)) }

    func takeTurn() {
      for case (.ordered(let command, _), _) in clients.takeEvents() { take(command) }
    }
  }

  /// The commands for the turret so far.
  var commands: [String] { told.withLock(\.self) }

  func counts() async throws -> FollowCounts {
    try await group.next().submit { self.sender.value?.follower.counts ?? FollowCounts() }.get()
  }

  func stop() async throws {
    try await group.next().flatSubmit {
      self.sender.value?.stop() ?? self.group.next().makeSucceededVoidFuture()
    }.get()
    let isHeld = try await group.next().submit {
      let left = Weak(sender: self.sender.value)
      // The clients keep their members until a session lets them go.
      self.sender.value.map { self.turns.value?.forget($0) }
      self.sender.value = nil
      self.turns.value = nil
      return left.sender != nil
    }.get()
    #expect(!isHeld, "something still holds the sender")
  }

  private struct Weak {
    weak var sender: VisionSender?
  }

  /// Waits until a condition holds.
  func wait(
    for what: String, sourceLocation: SourceLocation = #_sourceLocation,
    until isSo: () async throws -> Bool
  ) async throws {
    let clock = ContinuousClock()
    let end = clock.now.advanced(by: .seconds(Self.patience))
    while try await !isSo() {
      guard clock.now < end else {
        Issue.record(
          "waited in vain for \(what); told: \(commands)", sourceLocation: sourceLocation)
        throw CancellationError()
      }
      try await Task.sleep(for: .milliseconds(2))
    }
  }

  func wait(forCommands expected: [String], sourceLocation: SourceLocation = #_sourceLocation)
    async throws
  {
    try await wait(for: "\(expected)", sourceLocation: sourceLocation) {
      commands.count >= expected.count
    }
    #expect(commands == expected, sourceLocation: sourceLocation)
  }
}
