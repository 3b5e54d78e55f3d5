import Devices
import Gateway
import Networking
import Platform
import Serial
import SystemPackage
import Turret

/// Drives a live bench that has no network: a loop around one wait.
enum LiveDriver {
  /// Runs until the session ends.
  static func run(
    _ bench: LiveBench<some DeviceSource>
  ) throws(Failure) -> SessionLife.Ending {
    defer { bench.close() }
    bench.begin()
    var reason = TurnReason.work
    while true {
      switch try bench.turn(reason) {
      case .over(let ending): return ending
      case .wait(let plan):
        let descriptors = plan.descriptors + (plan.stream.map { [$0] } ?? [])
        let ready = Poller.wait(
          descriptors.map(FileDescriptor.init(rawValue:)),
          timeout: plan.deadline.map { $0 - .now })
        reason = ready.isEmpty ? .deadline : .readable(ready.map(\.rawValue))
      }
    }
  }
}
