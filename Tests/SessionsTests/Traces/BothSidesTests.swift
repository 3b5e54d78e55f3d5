import Sketches
import Testing

@testable import Sessions

/// What was lost between the computer and the board's pin, from recordings of both.
@Suite("Both sides of an adapter") struct BothSidesTests {
  private func sides(_ sent: String, _ pin: String, _ fates: [Int: Fate] = [:]) -> BothSides {
    let entries = pin.utf8.enumerated().map { index, byte in
      Ledger.Entry(
        byte: byte, arrived: .zero + .milliseconds(Int64(1_000 + index)),
        fate: fates[index] ?? .letter)
    }
    return BothSides(sent: Array(sent.utf8), pin: entries)
  }

  @Test(arguments: [
    ("X90.L", "X90.L", []), ("X90.L", "X9L", ["-0. 1001"]), ("X90.", "", ["-X90. 0"]),
    ("", "X", ["+X 1000"]), ("X90.", "X90~", ["-. 1002", "+~ 1003"]),
    ("X90.X45.", "90.X5.", ["-X 0", "-4 1003"]),
  ])
  func `A byte of one side that the other lacks is lost, or was not sent`(
    _ sent: String, _ pin: String, _ expected: [String]
  ) {
    let runs = sides(sent, pin).runs.map { run in
      "\(run.isLost ? "-" : "+")\(String(decoding: run.bytes, as: UTF8.self)) "
        + "\(run.time.nanoseconds / 1_000_000)"
    }
    #expect(runs.sorted() == expected.sorted())
  }

  @Test func `The board's own losses are told from the adapter's`() {
    let both = sides("X90.L", "X90.", [3: .ringFull])
    let lines = both.lines(from: "usb.txt")
    #expect(lines[1] == "5 bytes in usb.txt, 4 at the pin:")
    #expect(lines[2].contains("`L` was sent and did not reach the pin"))
    #expect(lines[3] == "  the board lost 1 of those that reached it: they have that fate")
    #expect(both.lost.map { $0.fate } == [.adapterLost])
  }
}
