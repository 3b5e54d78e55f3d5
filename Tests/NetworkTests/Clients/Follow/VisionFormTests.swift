import Sketches
import Testing
import TurretLink

@testable import Network

struct VisionFormTests {
  @Test(
    arguments: [
      (15.2, 4.3, "15.2", "4.3"), (-0.0004, 0, "0.0", "0.0"), (-12.5, 100, "-12.5", "100.0"),
      (0.125, 1.0 / 3, "0.125", "0.333"), (-0.05, 1e300, "-0.05", "1000000000.0"),
    ] as [(Double, Double, String, String)])
  func `A reading is written in both forms`(
    angle: Double, distance: Double, angleText: String, distanceText: String
  ) {
    let reading = VisionReading(timestamp: "12:00:01", angle: angle, distance: distance)
    #expect(
      VisionForm.fields.text(reading) == "12:00:01|angle^\(angleText)|distance^\(distanceText)")
    #expect(
      VisionForm.json.text(reading)
        == "{\"timestamp\": \"12:00:01\", \"angle\": \(angleText), \"distance\": \(distanceText)}")
  }

  @Test(arguments: VisionForm.allCases)
  func `A written reading is read back unchanged`(form: VisionForm) throws {
    for angle in [nil, 15.2, -30, 0, 0.125] as [Double?] {
      for distance in [nil, 4.3] as [Double?] {
        let reading = VisionReading(timestamp: "01:02:03.004", angle: angle, distance: distance)
        #expect(try VisionReading(Array(form.text(reading).utf8)) == reading)
      }
    }
  }

  @Test(arguments: [
    (0, "00:00:00.000"), (-5, "00:00:00.000"), (1_250, "00:00:01.250"), (61_001, "00:01:01.001"),
    (360_000_000, "100:00:00.000"),
  ])
  func `A time is written with colons`(milliseconds: Int64, text: String) {
    #expect(VisionForm.timestamp(.milliseconds(milliseconds)) == text)
  }
}
