import Devices
import NIOCore
import NIOPosix
import Platform
import Sketches
import SystemPackage
import TestSupport
import Testing

@testable import Network

@Suite(.ownThread) struct TurnLoopTests {
  /// A bench that is always behind, until it has bytes.
  private final class LateBench: NetworkBench {
    private let stream: CInt
    private var turns = 0
    private(set) var bytes: [UInt8] = []
    var loop: TurnLoop<LateBench>?

    init(reading stream: CInt) { self.stream = stream }

    func begin() {}
    func arrived(_ bytes: [UInt8]) { self.bytes += bytes }
    func close() {}

    func turn(_ reason: TurnReason) -> TurnOutcome<Int> {
      turns += 1
      guard bytes.isEmpty, turns < 20_000 else { return .over(turns) }
      return .wait(
        TurnPlan(deadline: .now + .milliseconds(-1), descriptors: [], stream: stream))
    }
  }

  @Test func `A bench that is always late does not keep the loop from input that has arrived`()
    throws
  {
    let group = MultiThreadedEventLoopGroup(numberOfThreads: 1)
    defer { group.shutdownGracefully { _ in } }
    let loop = group.next()
    let pipe = try SystemPackage.FileDescriptor.pipe()
    defer { for end in [pipe.readEnd, pipe.writeEnd] { try? end.close() } }
    try pipe.writeEnd.writeAll([7])
    let readEnd = pipe.readEnd.rawValue
    let bench = try loop.submit {
      NIOLoopBound(LateBench(reading: readEnd), eventLoop: loop)
    }.wait()
    let turns = try loop.flatSubmit {
      let turns = try! TurnLoop(running: bench.value, on: loop)
      bench.value.loop = turns
      turns.takeTurn()
      return turns.ended.and(turns.ending).map { $1 }
    }.wait()
    let bytes = try loop.submit {
      bench.value.loop = nil
      return bench.value.bytes
    }.wait()
    #expect(turns > 1)
    #expect(bytes.first == 7)
  }
}
