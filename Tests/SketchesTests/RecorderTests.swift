import Testing

@testable import Sketches

@Suite struct RecorderTests {
  @Test func `Levels of pins keep their instants, and all outputs stay in order`() throws {
    let pin = try #require(BoardPin(name: "D7"))
    var recorder = Recorder()
    recorder.put(.transmit(1), at: Instant(nanoseconds: 1_001))
    recorder.put(.pin(pin, isHigh: true), at: Instant(nanoseconds: 1_063))
    recorder.put(.pin(pin, isHigh: false), at: Instant(nanoseconds: 1_313))
    recorder.put(.transmit(2), at: Instant(nanoseconds: 2_000))
    recorder.put(.pin(pin, isHigh: true), at: Instant(nanoseconds: 2_000))
    #expect(recorder.outputs.map(\.time.nanoseconds) == [1_063, 1_313, 2_000, 2_000, 2_000])
    #expect(recorder.outputs.map(\.output.kind) == [.pin, .pin, .transmit, .transmit, .pin])
  }
}
