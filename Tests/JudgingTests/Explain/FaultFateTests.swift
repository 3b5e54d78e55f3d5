import Judging
import Sketches
import Testing
import Traces

/// The fates of bytes that never reached the board.
@Suite("Fates of bytes lost on the way") struct FaultFateTests {
  private func account(_ firmware: String, _ events: String) throws -> SessionAccount {
    let head = #"{"format": "sentry-trace", "version": 1, "firmware": "\#(firmware)", "#
    let text = head + #""board": "uno", "baud": 9600, "duration": 3}"# + "\n" + events
    return try SessionAccount(Array(text.utf8), path: "a.jsonl")
  }

  private static let events = """
    [1.500000, "rx", "X4"]
    [1.502200, "x-fault", "radio", "hm-10", "5.", ""]
    [1.600000, "x-fault", "drop", "wire", "L", ""]
    [1.700000, "x-fault", "flip", "wire", "T", "U"]
    [1.700000, "rx", "U"]

    """

  @Test(arguments: ["classic", "guarded", "other"])
  func `A byte lost in an adapter or on the wire has a fate of its own`(
    _ firmware: String
  ) throws {
    let lines = try account(firmware, Self.events).lines
    func fate(_ time: String) -> [String] {
      lines.filter { $0.hasPrefix("  \(time)") && !$0.contains("`") }.map { line in
        line.split(separator: " ").dropFirst(2).prefix(2).joined(separator: " ")
      }
    }
    #expect(fate("1.502200") == ["5 adapter-lost", ". adapter-lost"])
    #expect(fate("1.600000") == ["L wire-lost"])
    #expect(lines.contains { $0.hasPrefix("6 bytes: ") && $0.contains("2 adapter-lost") })
  }

  @Test func `In JSON, too, and such a byte was never taken`() throws {
    let lines = try account("classic", Self.events).jsonLines
    let expected = #"{"byte": 76, "arrived": 1.600000, "taken": null, "fate": "wire-lost""#
    #expect(lines.contains { $0.hasPrefix(expected) }, "\(lines)")
  }
}
