import Aim
import ArgumentParser

/// `SHARE:DISTANCE`, a measurement.
struct DistanceArgument: ExpressibleByArgument {
  var sample: DistanceSample

  init?(argument: String) {
    let parts = argument.split(separator: ":", omittingEmptySubsequences: false)
    guard parts.count == 2, let share = Double(parts[0]), let distance = Double(parts[1])
    else { return nil }
    sample = DistanceSample(share: share, distance: distance)
  }
}
