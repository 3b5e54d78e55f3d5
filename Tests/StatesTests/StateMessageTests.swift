import Devices
import Sketches
import States
import Testing
import Traces

/// The messages about invalid states.
@Suite struct StateMessageTests {
  /// Values to put in any place. Those that are longer than a message are only a little longer,
  /// because a state has many places.
  private static let others: [JSONValue] = [
    .string(String(repeating: "\u{1B}]0;", count: 300)),
    .string(String(repeating: "\u{202E}", count: 1_100)),
    .number(String(repeating: "9", count: 1_100)), .null, .array([]), .object([]),
  ]

  private static var chip: [UInt8] {
    get throws {
      let session = StateSession(
        .guarded, [], end: .zero + .seconds(1), on: try PrebuiltSketches.source(.guarded))
      return try session.events(until: .zero + .milliseconds(300)).state
    }
  }

  @Test func `A message does not print a whole memory in the wrong place`() throws {
    let state = try JSONValue.contents(of: Self.chip, path: "state")
    let memory = try #require(state["state"]?["chip"]?["data"])
    let error = #expect(throws: TraceError.self) {
      try Self.restore(Self.replacing("chip", by: memory, in: state), on: .guarded)
    }
    let text = try #require(error).description
    #expect(text.hasPrefix("state: error: the file is damaged at state.chip: expected an object, "))
    #expect(text.hasSuffix("...\"") && text.count < 200, "\(text)")
  }

  @Test(arguments: [false, true])
  func `A message about a state has at most 1 000 characters and no control characters`(
    isChip: Bool
  ) throws {
    let state = try JSONValue.contents(
      of: isChip ? Self.chip : Array(StateTests.written.utf8), path: "state")
    var refused = 0
    for other in Self.others {
      for changed in state.changed(to: other) {
        do {
          try Self.restore(changed, on: isChip ? .guarded : nil)
        } catch {
          refused += 1
          let message = (error as? TraceError)?.description ?? ""
          #expect(!message.isEmpty)
          #expect(message.unicodeScalars.count <= 1_000, "\(message)")
          #expect(PlainText.escaped(message) == message, "\(message)")
        }
      }
    }
    #expect(refused > 300)
  }

  /// `firmware` is the sketch on the chip; nil for the state of a model.
  private static func restore(_ state: JSONValue, on firmware: Firmware?) throws {
    let file = try StateFile(text: Array(state.text.utf8), path: "state")
    if let firmware {
      _ = try PrebuiltSketches.source(firmware).restore(file, showsPulses: false)
    } else {
      _ = try file.restore(as: Model.self, showsPulses: false)
    }
  }

  private static func replacing(
    _ key: String, by other: JSONValue, in state: JSONValue
  ) -> JSONValue {
    guard case .object(let members) = state else { return state }
    return .object(
      members.map { .init($0.key, $0.key == key ? other : replacing(key, by: other, in: $0.value)) }
    )
  }
}
