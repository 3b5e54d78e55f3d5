import Devices
import Gateway
import Networking
import Serial
import SystemPackage

/// A live bench on a network's event loop.
final class NetworkedBench: NetworkBench {
  private let bench: LiveBench
  /// What it waits for.
  private var needs: LiveNeeds?
  /// What ended the session; nil: nothing yet.
  private(set) var ending: LiveBench.Ending?

  init(_ bench: LiveBench) { self.bench = bench }

  func begin() { bench.begin() }
  func arrived(_ bytes: [UInt8]) { bench.arrived(bytes) }
  func end() { bench.close() }

  func turn(_ reason: TurnReason) throws -> TurnPlan? {
    switch reason {
    case .deadline: bench.woke(isTimeout: true, due: needs?.due)
    case .readable: bench.woke(isTimeout: false, due: nil)
    case .work: break
    }
    if let ending = try bench.turn() {
      self.ending = ending
      return nil
    }
    let needs = bench.needs
    self.needs = needs
    return TurnPlan(
      deadline: needs.timeout.map { .now + $0 }, descriptors: needs.descriptors.map(\.rawValue),
      stream: needs.board?.rawValue)
  }

  /// Waits for descriptors on behalf of the event loop.
  @Sendable static func wait(_ descriptors: [CInt]) -> [CInt] {
    Poller.wait(descriptors.map(FileDescriptor.init(rawValue:)), timeout: nil).map(\.rawValue)
  }
}
