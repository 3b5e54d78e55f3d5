import NIOCore
import NIOPosix
import NetworkTestSupport
import Platform
import Sketches
import TestSupport
import Testing
import TurretLink

@testable import Network

/// A sender on a loop of its own, and its reports: its states and the messages, one line each.
final class SenderStand {
  private let group = MultiThreadedEventLoopGroup(numberOfThreads: 1)
  private let sender: NIOLoopBoundBox<CommandSender?>
  private let told = Told()

  init(
    _ target: String, authorities: String? = nil,
    _ change: (inout SenderSettings) -> Void = { _ in }
  ) throws {
    var settings = SenderSettings()
    // So that nothing takes long.
    settings.backOffFirst = .milliseconds(10)
    settings.backOffMost = .milliseconds(50)
    change(&settings)
    let target = try SenderTarget(target, authorities: authorities)
    let loop = group.next()
    sender = .makeEmptyBox(valueType: CommandSender.self, eventLoop: loop)
    try loop.submit { [sender, settings, told] in
      let made = try CommandSender(
        to: target, settings: settings, on: loop, for: told)
      sender.value = made
    }.wait()
  }

  deinit {
    try? stop()
    group.shutdownGracefully { _ in }
  }

  var lines: [String] { told.lines }

  func perform<Result: Sendable>(_ action: @escaping @Sendable (CommandSender) -> Result) throws
    -> Result
  {
    let sender = sender
    return try group.next().submit { action(sender.value!) }.wait()
  }

  func start() throws { try perform { $0.start() } }

  func send(_ commands: String...) throws {
    try perform { sender in for command in commands { sender.send(LinkCommand(text: command)) } }
  }

  func counts() throws -> SenderCounts { try perform { $0.delivery.counts } }

  /// Stops it, and checks that nothing keeps a reference to it.
  func stop() throws {
    let sender = sender
    let loop = group.next()
    try loop.flatSubmit { sender.value?.stop() ?? loop.makeSucceededVoidFuture() }.wait()
    let isHeld = try loop.submit {
      let left = Weak(sender: sender.value)
      sender.value = nil
      return left.sender != nil
    }.wait()
    #expect(!isHeld, "something still holds the sender")
  }

  private struct Weak {
    weak var sender: CommandSender?
  }

  /// Waits until this has been reported this many times.
  func hears(_ line: String, times: Int = 1) -> Bool {
    Self.wait { self.lines.count { $0 == line } >= times }
  }

  /// Waits until a condition holds, at most ten seconds.
  static func wait(until isSo: () throws -> Bool) rethrows -> Bool {
    let deadline = NIODeadline.now() + .seconds(10)
    while NIODeadline.now() < deadline {
      if try isSo() { return true }
      usleep(1_000)
    }
    return false
  }
}
