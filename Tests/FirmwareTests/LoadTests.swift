import AVR
import Testing

/// The guarded sketch on a line that is never silent.
@Suite("Guarded under load")
struct LoadTests {
  struct Load: Sendable, CustomTestStringConvertible {
    var name: String
    /// Bytes to send first.
    var prelude: String
    var words: [String]?
    var seconds: Int
    var testDescription: String { name }
  }

  static let loads = [
    Load(name: "everything", prelude: "", words: nil, seconds: 120),
    Load(
      name: "? alone, in a sweep with telemetry", prelude: "VL", words: ["?"], seconds: 60),
    Load(name: "V alone, in a sweep", prelude: "L", words: ["V"], seconds: 60),
    Load(name: "?V, in a sweep", prelude: "L", words: ["?V"], seconds: 60),
    Load(name: "aims with a line for each", prelude: "V", words: ["X9.", "X8."], seconds: 60),
  ]

  @Test(arguments: loads)
  func `No byte is lost and no pulse edge moves`(load: Load) throws {
    var board = GuardedBoard(
      ATmega328P(flash: try SketchImage.prebuilt("guarded").flash), landmarks: nil)
    board.run(for: 1_000_000)
    _ = board.takeEvents()
    var flood = load.words.map { Flood(seed: 1, words: $0) } ?? Flood(seed: 1)
    var tally = LoadTally()
    board.send(load.prelude)
    board.run(for: 10 * GuardedBoard.cyclesPerMillisecond)
    var start = board.cycle
    for _ in 0..<load.seconds {
      let bytes = flood.next(960)
      board.send(bytes, at: start)
      start += GuardedBoard.byteCycles(bytes.count)
      board.run(until: start + 1)
      tally.take(board.takeEvents())
    }
    board.run(for: 500 * GuardedBoard.cyclesPerMillisecond)
    tally.take(board.takeEvents())
    #expect(board.chip.fault == nil)
    #expect(tally.lost == 0)
    #expect(tally.received == board.times.count)
    #expect(tally.resets == 0)
    print("\(load.name): \(tally)")
    #expect(tally.pulses > 50 * (load.seconds - 1))
    #expect(tally.shiftedEdges == [])
    #expect(tally.wrongWidths == [])

    // The sketch's own count agrees.
    board.send("?")
    board.run(for: 100 * GuardedBoard.cyclesPerMillisecond)
    let answer = board.takeEvents().compactMap { event in
      if case .transmit(let byte, _) = event.event { Character(Unicode.Scalar(byte)) } else { nil }
    }
    #expect(String(answer).contains("lost=00000 "))
  }
}
