import Judging
import Sketches
import Traces

/// What the events of a session say about a turret that follows a face, and about its supply.
struct RigTally: Sendable {
  private(set) var tracking = TrackingRecord()
  private(set) var lowestVolts: Double?
  private(set) var highestAmperes: Double?
  private(set) var powerFailures: [(time: Instant, text: String)] = []

  /// The figures count how near the shaft is to the face by this, in degrees.
  static let target = 3.0

  mutating func take(_ event: Event) {
    tracking.take(event)
    switch event.kind {
    case .supply(let volts, let amperes):
      lowestVolts = min(lowestVolts ?? volts, volts)
      highestAmperes = max(highestAmperes ?? amperes, amperes)
    case .mark(let text) where text.hasPrefix("brown-out") || text.hasPrefix("USB port off"):
      powerFailures.append((event.time, text))
    default: break
    }
  }

  /// What the supply gave, in words; nil if none is stated.
  var supply: String? {
    guard let lowestVolts, let highestAmperes else { return nil }
    return "at least \(RigText.tenths(lowestVolts)) V, at most \(RigText.tenths(highestAmperes)) A"
  }
}

extension TrackingFigures {
  /// How well the turret followed, in words, by the figures' names. Those of a turret that tilts
  /// are given for each axis, except that both shafts must be on target.
  var rows: [(name: String, text: String)] {
    guard axes.count == 2, let onTarget, let pan = axes[0].onTarget, let tilt = axes[1].onTarget
    else { return axisRows }
    let share = "within 3° for \(onTarget) of the time; pan \(pan), tilt \(tilt)"
    var rows = [(name: "on target", text: share)]
    for (axis, name) in zip(axes, ["pan", "tilt"]) {
      for row in axis.axisRows.dropFirst() {
        let figure = row.name == "swing at rest" ? "at rest" : row.name
        rows.append((name: "\(name) \(figure)", text: row.text))
      }
    }
    return rows
  }

  /// For which share of the time the shaft was on target.
  private var onTarget: String? {
    thousandths(within: RigTally.target).map { "\($0 / 10).\($0 % 10) %" }
  }

  private var axisRows: [(name: String, text: String)] {
    var rows: [(name: String, text: String)] = []
    let degrees = { (value: Double) in "\(RigText.tenths(value))°" }
    if let onTarget { rows.append(("on target", "within 3° for \(onTarget) of the time")) }
    if let meanError, let error95, let worst {
      rows.append(
        (
          "error",
          "mean \(degrees(meanError)), 95 % below \(degrees(error95)), worst "
            + "\(degrees(worst.degrees)) at \(RigText.milliseconds(worst.time))"
        ))
    }
    if let overshoot, let settling = self.settling(within: RigTally.target) {
      let rest =
        settling.map { "within 3° after \(($0.nanoseconds + 500_000) / 1_000_000) ms at most" }
        ?? "not always within 3°"
      rows.append(
        ("jumps", "\(steps.count): at most \(degrees(overshoot)) beyond the face, \(rest)"))
    }
    if let swing {
      let rate = swing.hertz > 0 ? ", \(RigText.tenths(swing.hertz)) times a second" : ""
      rows.append(("swing at rest", "\(degrees(swing.degrees))\(rate)"))
    }
    rows.append(
      (
        "wear",
        "\(Int(travelPerMinute.rounded()))° and \(Int(reversalsPerMinute.rounded())) reversals a "
          + "minute"
      ))
    return rows
  }
}

/// How figures of a rig are written.
enum RigText {
  static func tenths(_ value: Double) -> String {
    let tenths = Int64((value * 10).rounded())
    let size = abs(tenths)
    return "\(tenths < 0 ? "-" : "")\(size / 10).\(size % 10)"
  }

  static func milliseconds(_ time: Instant) -> String {
    String(shortest: Interval.milliseconds((time - Instant.zero).nanoseconds / 1_000_000)) + " s"
  }
}
