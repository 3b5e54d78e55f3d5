import Sketches
import TestSupport
import Testing

@testable import Pictures

struct ScreenDifferenceTests {
  @Test func `An unchanged screen writes nothing`() {
    #expect(ScreenDifference.bytes(from: ["a", "b"], to: ["a", "b"]).isEmpty)
  }

  @Test(arguments: [
    (["a", "b"], ["a", "c"], "\u{1B}[2;1Hc"),
    (["abc"], ["d"], "\u{1B}[1;1Hd\u{1B}[K"),
    (["abc"], [""], "\u{1B}[1;1H\u{1B}[K"),
    (["\u{1B}[0;1mab\u{1B}[0m"], ["cd"], "\u{1B}[1;1Hcd"),
  ])
  func `Only the lines that changed are written, as one update`(
    _ old: [String], _ new: [String], _ text: String
  ) {
    #expect(
      String(decoding: ScreenDifference.bytes(from: old, to: new), as: UTF8.self)
        == "\u{1B}[?2026h\(text)\u{1B}[?2026l")
  }

  @Test(arguments: 1...60 as ClosedRange<UInt64>)
  func `A terminal shows the last screen, whatever came before`(_ seed: UInt64) {
    var generator = SeededGenerator(seed: seed)
    let columns = Int.random(in: 1...140, using: &generator)
    let rows = Int.random(in: 1...45, using: &generator)
    let screen = LiveScreen(
      size: ScreenSize(columns: columns, rows: rows), glyphs: .unicode, inColour: true)
    var terminal = VirtualTerminal(columns: columns, rows: rows)
    var shown: [String]?
    for redraw in 1...6 {
      let lines = screen.lines(for: .random(using: &generator))
      terminal.feed(ScreenDifference.bytes(from: shown, to: lines))
      shown = lines
      var fresh = VirtualTerminal(columns: columns, rows: rows)
      fresh.feed(ScreenDifference.bytes(from: nil, to: lines))
      #expect(terminal.cells == fresh.cells)
      #expect(terminal.complaints.isEmpty)
      #expect(terminal.updates <= redraw)
      #expect(!terminal.modes.contains("?2026"))
    }
  }

  @Test func `The whole screen is drawn after a resize`() {
    var terminal = VirtualTerminal(columns: 3, rows: 2)
    terminal.feed("xyzxyz".utf8.prefix(3))
    terminal.feed(ScreenDifference.bytes(from: ["x"], to: ["a", "b"]))
    #expect(terminal.lines == ["a", "b"])
  }
}
