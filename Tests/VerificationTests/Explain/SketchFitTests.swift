import Testing
import Traces
import Turret
import Verification

/// Whether the commands of a sketch fit what was sent.
struct SketchFitTests {
  @Test(arguments: [
    ("J 1 45\nJ 2 45\nHOME\n", Firmware.classic, 3), ("a\nb", .guarded, 2),
    ("P90,90\r\nP80,80\r\n", .classic, 2), ("X\nX\n", .classic, 2),
    ("HOME\nHOME\n", .guarded, 2),
  ])
  func `A sketch that no command fits is named`(
    sent: String, firmware: Firmware, count: Int
  ) {
    var fit = SketchFit(firmware)
    for byte in sent.utf8 { fit.take(byte, at: .zero) }
    #expect(fit.objection == "none of \(count) commands fits \(firmware.rawValue)")
  }

  @Test(arguments: [
    "X90.X91.", "X90\nfoo\n", "noise\nX9", "L\nfoo\n", "one", "", "\r\n\n", "L L\nfoo\n",
  ])
  func `Nothing is said if a command fits, or if there are fewer than two`(sent: String) {
    var fit = SketchFit(.classic)
    for byte in sent.utf8 { fit.take(byte, at: .zero) }
    #expect(fit.objection == nil)
  }

  @Test func `A pause separates commands`() {
    var fit = SketchFit(.classic)
    for (index, byte) in "abc".utf8.enumerated() {
      fit.take(byte, at: .zero + .milliseconds(500 * Int64(index)))
    }
    #expect(fit.objection == "none of 3 commands fits classic")
  }

  @Test func `An explanation says so before it says what was not understood`() {
    let entries = "J 1\nJ 2\n".utf8.map {
      Ledger.Entry(byte: $0, arrived: .zero + .milliseconds(1), fate: .junk)
    }
    var ledger = Ledger()
    for entry in entries { ledger.arrived(entry.byte, at: entry.arrived) }
    let lines = Explanation(ledger, firmware: .classic).misunderstandingLines
    #expect(lines.prefix(2) == ["", "none of 2 commands fits classic: \(SketchFit.remedy)"])
  }
}
