import Sketches
import Testing
import Traces

@testable import Pictures

struct PlottedLevelsTests {
  private func session(_ outputs: [(milliseconds: Int64, output: Output)]) -> PlottedSession {
    var session = PlottedSession(title: nil, subtitle: "", end: .zero + .seconds(1))
    var levels = PlottedLevels(ThinnedSeries(.zero...session.end, columns: 1_000))
    for (milliseconds, output) in outputs {
      let isOn = output.isOn ?? (output != .tone(hertz: 0))
      levels.take(output, isOn: isOn, at: .zero + .milliseconds(milliseconds))
    }
    #expect(!levels.finish(&session))
    return session
  }

  private func pin(_ number: Int, _ isHigh: Bool) throws -> Output {
    .pin(try #require(BoardPin(arduino: number)), isHigh: isHigh)
  }

  @Test func `A pin is a row of its own, and so is a kind without a pin, by its word`() throws {
    let levels = session([
      (1, try pin(7, true)), (2, try pin(4, true)), (3, .tone(hertz: 900)), (4, try pin(7, false)),
      (5, .tone(hertz: 0)),
    ]).levels
    #expect(levels.map { $0.name } == ["tone", "D4", "D7"])
    #expect(levels.map { $0.samples.map { $0.value } } == [[1, 0], [1], [1, 0]])
    #expect(levels.last?.samples.last?.time == .zero + .milliseconds(4))
  }

  @Test func `Rows for which there is no room are counted`() throws {
    let shown = session(try (0..<10).map { (1, try pin($0, true)) })
    #expect(shown.levels.count == PlottedLevel.countMax)
    #expect(shown.undrawnLevelCount == 2)
    #expect(SessionPicture.svg(of: shown).contains("2 more levels not drawn"))
  }

  @Test func `A picture with levels can be enlarged`() throws {
    #expect(session([(1, try pin(7, true))]).isEnlargeable)
  }
}
