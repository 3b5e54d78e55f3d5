import SentryCore
import Testing

@Suite struct SettingsTests {
  @Test func `Settings are the same after the next start`() {
    var settings = SentrySettings()
    settings.mode = .object
    settings.side = .front
    settings.reversed = true
    settings.landmarks = false
    settings.label = "cat \"x\""
    settings.confidence = 0.7
    settings.overlap = 0.3
    #expect(SentrySettings(saved: settings.saved) == settings)
  }

  @Test(arguments: ["", "{}", "nonsense", "{\"mode\": \"sound\"}"])
  func `Settings that cannot be read are those of the first start`(_ saved: String) {
    #expect(SentrySettings(saved: saved) == SentrySettings())
  }

  @Test func `Numbers that text cannot hold are not kept`() {
    var settings = SentrySettings()
    settings.confidence = .nan
    #expect(SentrySettings(saved: settings.saved) == SentrySettings())
  }

  @Test(arguments: [
    (Double.nan, 0.4, 0.6), (-1, 0, 0), (2, 1, 1), (.infinity, 1, 1), (0.5, 0.5, 0.5),
  ])
  func `A threshold that is out of range is replaced by the nearest`(
    _ value: Double, _ confidence: Double, _ overlap: Double
  ) {
    var settings = SentrySettings()
    settings.mode = .object
    settings.confidence = value
    settings.overlap = value
    #expect(settings.options.minConfidence == confidence)
    #expect(settings.options.maxOverlap == overlap)
  }
}
