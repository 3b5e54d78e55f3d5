import Devices
import Gateway
import Serial
import SystemPackage

// The bench on a network's event loop.
extension LiveBench: NetworkBench {
  func turn(_ reason: TurnReason) throws -> TurnOutcome<SessionLife.Ending> {
    switch reason {
    case .deadline: woke(isTimeout: true, due: due)
    case .readable: woke(isTimeout: false, due: nil)
    case .work: break
    }
    if let ending = try turn() { return .over(ending) }
    let needs = needs
    due = needs.due
    return .wait(
      TurnPlan(
        deadline: needs.timeout.map { .now + $0 }, descriptors: needs.descriptors.map(\.rawValue),
        stream: needs.board?.rawValue))
  }

  @Sendable static func wait(_ descriptors: [CInt]) -> [CInt] {
    Poller.wait(descriptors.map(FileDescriptor.init(rawValue:)), timeout: nil).map(\.rawValue)
  }
}
