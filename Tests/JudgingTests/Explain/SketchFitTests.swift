import Judging
import Sketches
import Testing
import Traces

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

  @Test(arguments: [
    ("X45.X90.L", 9, 9), ("X45.\nX90.\nL\n", 9, 9), ("HELLO\n", 5, 0), ("P10\nX9\n", 5, 2),
    ("X45.HELLO", 9, 6), ("n^*}!", 5, 0), ("L L\n", 2, 2), ("\r\n ", 0, 0), ("45.", 3, 0),
  ])
  func `Bytes that belong to commands are counted`(sent: String, bytes: Int, fitting: Int) {
    var fit = SketchFit(.classic)
    for byte in sent.utf8 { fit.take(byte, at: .zero) }
    #expect(fit.census.bytes == bytes)
    #expect(fit.census.fitting == fitting)
  }

  @Test func `An account of a session says so before everything else`() throws {
    let text = """
      {"format": "sentry-trace", "version": 1, "firmware": "classic"}
      [1.500000, "rx", "J 1\\nJ 2\\n"]
      [1.900000, "mark", "end"]
      """
    let lines = try SessionAccount(Array(text.utf8), path: "t").lines
    #expect(lines.first == "none of 2 commands fits classic")
  }
}
