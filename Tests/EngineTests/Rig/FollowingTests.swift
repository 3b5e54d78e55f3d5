import Aim
import Sketches
import Testing
import Traces

@testable import Engine

/// The rows of docs/guide/following.md: what the shaft does when a face jumps, turns or walks, by
/// the camera's place, the servo, the delay and the rate of the pictures, and the detector's noise.
struct FollowingTests {
  private struct Row {
    var mount: String
    var servo: String
    var delay: Int
    var rate = 30
    var noise = 0.0
  }

  private static let delays = [30, 100, 200, 300]

  /// A face that stands for two seconds, moves from one angle to another, and stands.
  private static func shaft(
    _ row: Row, from start: Double, to goal: Double, speed: Double?
  ) throws -> [(time: Double, degrees: Double)] {
    let speeds = row.servo == "mg996r" ? 300 : 500
    let motion =
      speed.map { #""ramp": \#(goal), "speed": "\#($0)°/s""# } ?? #""step": \#(goal), "for": "1s""#
    let length = 4 + (speed.map { Int(abs(goal - start) / $0) + 1 } ?? 1)
    let text = """
      {"length": "\(length)s", "faces": [{"start": \(start), "distance": "2m",
         "path": [{"stand": "2s"}, {\(motion)}, {"stand": "2s"}]}],
       "camera": {"mount": "\(row.mount)", "fov": "60°", "rate": \(row.rate),
         "delay": "\(row.delay)ms"},
       "detector": {"noise": "\(row.noise)px"},
       "aim": {"follow": "yes", "mount": "\(row.mount)", "servo-speed": \(speeds)},
       "servo": "\(row.servo)"}
      """
    return try RigTests.events(RigTests.file(text)).events.compactMap { event in
      guard case .shaft(let degrees, _) = event.kind else { return nil }
      return (event.time.seconds, degrees)
    }
  }

  private static func beyond(_ row: Row, by way: Double, speed: Double?) throws -> Double {
    let shaft = try shaft(row, from: 90, to: 90 + way, speed: speed)
    return try #require(shaft.map { $0.degrees }.max()) - 90 - way
  }

  /// How far the shaft is behind a face while it walks from 65 to 115 degrees, in the mean.
  private static func lag(_ row: Row, speed: Double) throws -> Double {
    let shaft = try shaft(row, from: 65, to: 115, speed: speed)
    let (begin, end) = (2.0, 2 + 50 / speed)
    var (sum, count, index) = (0.0, 0.0, 0)
    for time in stride(from: begin, to: end, by: 0.005) {
      while index + 1 < shaft.count, shaft[index + 1].time <= time { index += 1 }
      sum += 65 + speed * (time - begin) - shaft[index].degrees
      count += 1
    }
    return sum / count
  }

  @Test(arguments: ["fixed", "turret"], ["sg90", "mg90s", "mg996r"])
  func `The turret goes beyond a jump only by what the servo itself does`(
    _ mount: String, _ servo: String
  ) throws {
    for delay in Self.delays {
      for jump in [3.0, 4, 5, 6, 7, 8, 12, 20, 30] {
        let row = Row(mount: mount, servo: servo, delay: delay)
        let beyond = try Self.beyond(row, by: jump, speed: nil)
        #expect(beyond < (jump <= 12 ? 1.5 : 3.3), "\(jump) degrees, \(delay) ms")
      }
    }
  }

  @Test(arguments: ["fixed", "turret"], ["sg90", "mg90s", "mg996r"])
  func `The turret goes beyond a turn of the head by half of its speed times the delay`(
    _ mount: String, _ servo: String
  ) throws {
    for (rate, noise) in [(15, 0.0), (30, 0), (30, 1.5)] {
      for delay in Self.delays {
        for way in [7.0, 10, 12, 15] {
          for speed in [40.0, 55, 70] {
            let row = Row(mount: mount, servo: servo, delay: delay, rate: rate, noise: noise)
            let beyond = try Self.beyond(row, by: way, speed: speed)
            // And by what an SG90 goes beyond any command.
            #expect(
              beyond < speed * Double(delay) / 2_000 + 2,
              "\(way) degrees, \(speed) degrees a second, \(row)")
          }
        }
      }
    }
  }

  /// The second figures are those of a filter that believes each speed at once: it went up to 39
  /// degrees beyond a turn of the head.
  @Test(
    arguments: [
      ("fixed", 30, [0.8, 1.3, 1.5, 2.2]), ("fixed", 100, [1.0, 1.3, 1.9, 3.1]),
      ("fixed", 200, [1.1, 1.6, 2.5, 3.8]), ("fixed", 300, [1.1, 1.8, 3.1, 4.9]),
      ("turret", 30, [1.0, 2.0, 4.3, 7.5]), ("turret", 100, [1.0, 2.5, 5.6, 8.2]),
      ("turret", 200, [1.0, 3.2, 5.3, 7.9]), ("turret", 300, [1.1, 2.8, 4.5, 6.8]),
    ] as [(String, Int, [Double])])
  func `A face that walks is followed as closely as if each speed were believed at once`(
    _ mount: String, _ delay: Int, _ most: [Double]
  ) throws {
    for (speed, most) in zip([10.0, 20, 30, 40], most) {
      let lag = try Self.lag(Row(mount: mount, servo: "sg90", delay: delay), speed: speed)
      // The lead that a head's turn must not have is missing at the beginning.
      let missing = speed < 30 ? 0.2 : 0.005 * Double(delay)
      #expect(lag < most + missing, "\(speed) degrees a second")
    }
  }

  @Test(arguments: ["fixed", "turret"])
  func `Noise does not move a turret whose face stands`(_ mount: String) throws {
    for delay in Self.delays {
      let row = Row(mount: mount, servo: "sg90", delay: delay, noise: 1.5)
      let shaft = try Self.shaft(row, from: 90, to: 102, speed: nil)
      let end = shaft.filter { $0.time > 4 }.map { $0.degrees }
      #expect((end.max() ?? 0) - (end.min() ?? 0) < 1, "\(delay) ms")
    }
  }
}
