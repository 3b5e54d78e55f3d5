import Devices
import Sketches

/// A step of an SG90 as J. Grant measured it, with a gyroscope on its horn, each 13 ms:
/// github.com/JasperGrant/SG-90-Servo-Characterization, log.txt, 2023.
///
/// The speeds there are multiplied by 8, because the library for the gyroscope (DFRobot_BMX160)
/// counts with the scale of 250 degrees a second while the chip measures with that of 2 000. Their
/// integral is scaled so that it ends at the commanded angle; the horn turned 5 to 8 degrees more.
struct MeasuredStep {
  /// Commanded, in degrees.
  var from: Double
  var to: Double
  /// Milliseconds since the program's `write`, and degrees.
  var points: [(time: Double, degrees: Double)]

  private init(_ from: Double, _ to: Double, _ points: [(Double, Double)]) {
    (self.from, self.to) = (from, to)
    self.points = points.map { (time: $0.0, degrees: $0.1) }
  }

  static let all = [
    MeasuredStep(
      0, 20,
      [
        (0, 0), (13, 0), (26, 0), (40, 0), (53, 1.2), (66, 3.8), (80, 7.3), (94, 11.1), (107, 14.7),
        (121, 18.1), (134, 20.5), (147, 22.3), (161, 23.4), (174, 23.7), (187, 23.3), (201, 22.7),
        (214, 22.1), (227, 21.7), (241, 21.1), (255, 20.5), (268, 20.2), (281, 20), (295, 20),
        (308, 20), (321, 20), (335, 20), (348, 20), (361, 20), (375, 20), (388, 20), (401, 20),
        (415, 20), (428, 20), (441, 20), (455, 20), (469, 20),
      ]),
    MeasuredStep(
      20, 0,
      [
        (0, 20), (13, 20), (26, 20), (40, 19.6), (53, 17.9), (66, 15), (80, 11.3), (93, 7.9),
        (106, 4.7), (120, 1.5), (133, -0.7), (147, -2.3), (161, -3.2), (174, -3.2), (187, -2.6),
        (201, -1.8), (214, -1.2), (227, -0.7), (240, -0.3), (254, -0.1), (267, 0), (280, 0),
        (294, 0), (307, 0), (320, 0), (334, 0), (347, 0), (360, 0), (374, 0), (387, 0), (400, 0),
        (414, 0), (427, 0), (440, 0), (453, 0), (467, 0),
      ]),
    MeasuredStep(
      0, 45,
      [
        (0, 0), (14, 0), (27, 0), (40, 0), (54, 0.7), (68, 3), (81, 7.1), (95, 12.9), (108, 18.6),
        (121, 24.6), (135, 31), (148, 36.2), (161, 40.4), (175, 43.5), (189, 45.7), (202, 46.7),
        (215, 46.7), (229, 46.4), (242, 45.9), (255, 45.5), (269, 45.2), (282, 45), (295, 45),
        (309, 45), (322, 45), (335, 45), (349, 45), (362, 45), (376, 45), (390, 45), (403, 45),
        (416, 45), (430, 45), (443, 45), (456, 45), (469, 45),
      ]),
    MeasuredStep(
      45, 0,
      [
        (0, 45), (14, 45), (27, 45), (40, 44.6), (54, 42.6), (67, 39.3), (80, 34.9), (94, 29.3),
        (107, 23.7), (121, 17.3), (135, 11), (148, 5.6), (161, 0.9), (175, -3.3), (188, -6.2),
        (201, -7.5), (215, -7.6), (228, -7.2), (241, -6.2), (254, -4.8), (268, -3.3), (281, -2),
        (294, -1), (308, -0.1), (321, 0.3), (334, 0.3), (348, 0.1), (361, 0), (374, 0), (389, 0),
        (402, 0), (415, 0), (429, 0), (442, 0), (455, 0), (468, 0),
      ]),
    MeasuredStep(
      0, 90,
      [
        (0, 0), (14, 0), (27, 0), (40, 0), (54, 0.9), (67, 3.1), (80, 7.4), (93, 13.3), (107, 20),
        (120, 26.9), (134, 34.6), (148, 42.3), (161, 49.7), (174, 57), (188, 65.1), (201, 72.5),
        (214, 79.4), (228, 84.8), (241, 88), (255, 90.2), (269, 90.9), (282, 90.8), (295, 90.5),
        (309, 90.3), (322, 90.3), (335, 90.3), (348, 90.2), (362, 90), (375, 90), (388, 90),
        (402, 90), (415, 90), (428, 90), (443, 90), (456, 90), (469, 90),
      ]),
    MeasuredStep(
      90, 0,
      [
        (0, 90), (14, 90), (27, 90), (40, 89.5), (54, 87.5), (67, 83.4), (80, 77.7), (94, 70.6),
        (108, 63.4), (121, 56.7), (134, 49.4), (148, 41.3), (161, 34), (174, 26.8), (188, 19.1),
        (201, 12.3), (214, 5.9), (228, 0), (241, -4.3), (254, -7.3), (268, -8.8), (281, -8.7),
        (295, -8), (309, -6.7), (322, -5.2), (335, -3.6), (348, -2.2), (362, -1.1), (375, -0.2),
        (388, 0.2), (402, 0.1), (415, 0.1), (428, 0.1), (442, 0), (455, 0), (468, 0),
      ]),
    MeasuredStep(
      0, 135,
      [
        (0, 0), (13, 0), (27, 0), (41, 1), (54, 3.7), (67, 7.8), (81, 13.4), (95, 20.1),
        (108, 26.9), (122, 34.4), (135, 41.7), (148, 49.3), (163, 58.2), (176, 65.8), (189, 73.8),
        (203, 82.8), (216, 90.7), (230, 99), (243, 106.5), (257, 114.3), (270, 120.6), (284, 125.9),
        (298, 130.5), (311, 133.1), (324, 134.3), (338, 134.9), (351, 135), (365, 135), (379, 135),
        (392, 135), (405, 135), (419, 135), (432, 135), (446, 135), (460, 135),
      ]),
    MeasuredStep(
      135, 0,
      [
        (0, 135), (13, 135), (26, 135), (40, 135), (53, 134.6), (66, 131.8), (80, 126.3),
        (93, 120.5), (106, 113.9), (121, 105.7), (134, 98.3), (147, 90.8), (161, 82.6), (174, 74.8),
        (187, 66.7), (201, 58.1), (214, 50.2), (228, 41.6), (242, 33.4), (255, 25.9), (268, 18.3),
        (281, 11.2), (295, 4.2), (308, -1.1), (321, -5.1), (336, -8.3), (349, -9.3), (362, -9.1),
        (376, -8.3), (389, -6.9), (402, -5), (416, -3.2), (429, -1.8), (442, -0.7), (456, 0.3),
        (469, 0.7),
      ]),
  ]

  // MARK: The plant's answer

  /// How late the gyroscope is, in milliseconds: the filter of a BMX160 at 100 samples a second,
  /// and the age of a sample. Assumed.
  static let delay = 15.0

  /// The plant's angles at the times of the points, if the first pulse with the new width ends
  /// `phase` milliseconds after `write`. The measured servo carried only the gyroscope.
  func simulated(_ data: ServoPlantData, phase: Double, at times: [Double]) -> [Double] {
    var data = data
    data.loadInertia = 0
    // Away from the stop, which the measured servo did not reach.
    let shift = 20.0
    var servo = ServoPlant(
      data, restingAt: from + shift, random: RandomStream(seed: 1, stream: 0))
    let width = 544 + (to + shift) * 1_856 / 180
    var edge = phase
    return times.map { time in
      let time = max(time - Self.delay, 0)
      while edge <= time {
        servo.advance(to: Self.instant(edge), volts: data.nominalVolts)
        servo.latch(pulse: width, at: Self.instant(edge))
        edge += 20
      }
      servo.advance(to: Self.instant(time), volts: data.nominalVolts)
      return servo.degrees - shift
    }
  }

  /// The phase of the frame is not known. Returns the one that fits best, and the root of the mean
  /// square of the difference, in degrees.
  func fit(_ data: ServoPlantData) -> (phase: Double, error: Double) {
    var best = (phase: 0.0, error: Double.infinity)
    for phase in stride(from: 0.5, to: 20, by: 1) {
      let angles = simulated(data, phase: phase, at: points.map { $0.time })
      let squares = zip(angles, points).map { ($0 - $1.degrees) * ($0 - $1.degrees) }
      let error = (squares.reduce(0, +) / Double(points.count)).squareRoot()
      if error < best.error { best = (phase, error) }
    }
    return best
  }

  private static func instant(_ milliseconds: Double) -> Instant {
    Instant(nanoseconds: Int64(milliseconds * 1e6))
  }
}

/// How long a servo takes for an angle, as A. Joachimsmeyer measured it at 5 V, which were 4.2 V
/// while it turned: github.com/ArminJo/ServoEasing, README.md, "Speed of servo positioning".
struct MeasuredTravel {
  var data: ServoPlantData
  /// Degrees and milliseconds.
  var times: [(degrees: Double, milliseconds: Double)]

  static let all = [
    MeasuredTravel(
      data: .sg90, times: [(10, 80), (20, 130), (30, 150), (45, 180), (90, 300), (180, 400)]),
    MeasuredTravel(data: .mg90s, times: [(45, 115), (90, 220), (180, 330)]),
  ]

  /// When the plant is first within 2 degrees of the angle: the mean over the phases of the frame.
  static func simulated(_ data: ServoPlantData, degrees: Double) -> Double {
    var data = data
    data.loadInertia = 0
    data.endStops = -20...200
    var sum = 0.0
    for phase in 0..<20 as Range<Int64> {
      var servo = ServoPlant(
        data, restingAt: 90 - degrees / 2, random: RandomStream(seed: 1, stream: 0))
      let target = 90 + degrees / 2
      var time: Int64 = 0
      while abs(servo.degrees - target) > 2, time < 2_000 {
        if time % 20 == phase {
          servo.latch(pulse: 544 + target * 1_856 / 180, at: .zero + .milliseconds(time))
        }
        time += 1
        servo.advance(to: .zero + .milliseconds(time), volts: 4.2)
      }
      sum += Double(time)
    }
    return sum / 20
  }
}
