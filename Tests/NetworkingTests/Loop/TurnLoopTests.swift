import Devices
import NIOCore
import NIOPosix
import SystemPackage
import TestSupport
import Testing
import Turret

@testable import Networking

@Suite(.ownThread) struct TurnLoopTests {
  private final class Seen {
    var turns = 0
    var bytes: [UInt8] = []
    var loop: TurnLoop?
  }

  @Test func `A bench that is always behind does not keep the loop from what has arrived`() throws {
    let group = MultiThreadedEventLoopGroup(numberOfThreads: 1)
    defer { group.shutdownGracefully { _ in } }
    let loop = group.next()
    let pipe = try SystemPackage.FileDescriptor.pipe()
    defer { for end in [pipe.readEnd, pipe.writeEnd] { try? end.close() } }
    try pipe.writeEnd.writeAll([7])
    let seen = try loop.submit { NIOLoopBound(Seen(), eventLoop: loop) }.wait()
    let readEnd = pipe.readEnd.rawValue
    try loop.flatSubmit {
      let seen = seen.value
      let turns = try! TurnLoop(
        on: loop,
        wait: { descriptors in
          // Reading what interrupts it blocks until something does.
          [descriptors[descriptors.count - 1]]
        },
        arrived: { seen.bytes += $0 },
        turn: { _ in
          seen.turns += 1
          guard seen.bytes.isEmpty, seen.turns < 20_000 else { return nil }
          return TurnPlan(deadline: .now + .milliseconds(-1), descriptors: [], stream: readEnd)
        })
      seen.loop = turns
      turns.takeTurn()
      return turns.ended
    }.wait()
    let bytes = try loop.submit {
      seen.value.loop = nil
      return seen.value.bytes
    }.wait()
    #expect(bytes.first == 7)
  }
}
