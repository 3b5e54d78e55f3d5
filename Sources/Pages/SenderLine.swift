package import Devices
package import Engine
package import Sketches
package import Traces

/// The way from the page to the board. Most visits need no faults, and load no code for them.
package protocol SenderLine: Sendable {
  /// Begins at a board that has done nothing yet. `baud` is in bits a second.
  init<D>(to board: inout LiveBoard<D>, baud: Int, _ plan: FaultPlan?)
  /// Advances the board, with what reaches it on the way.
  mutating func pass<D>(_ board: inout LiveBoard<D>, to end: Instant, _ emit: (Event) -> Void)
  /// Passes on what the board was given since the last call.
  mutating func deliver<D>(to board: inout LiveBoard<D>, _ emit: (Event) -> Void)
}

package struct DirectLine: SenderLine {
  package init<D>(to board: inout LiveBoard<D>, baud: Int, _ plan: FaultPlan?) {}

  package func pass<D>(
    _ board: inout LiveBoard<D>, to end: Instant, _ emit: (Event) -> Void
  ) { board.pass(to: end, emit) }

  package func deliver<D>(to board: inout LiveBoard<D>, _ emit: (Event) -> Void) {}
}

package struct DisturbedLine: SenderLine {
  private var faults: FaultyLine?
  private var returnLine: ReturnLine?

  package init<D>(to board: inout LiveBoard<D>, baud: Int, _ plan: FaultPlan?) {
    faults = plan.map { FaultyLine($0, baud: baud) }
    board.delayed = faults.map { DelayedInputs($0) }
    returnLine = ReturnLine(plan, baud: baud)
  }

  package mutating func pass<D>(
    _ board: inout LiveBoard<D>, to end: Instant, _ emit: (Event) -> Void
  ) {
    var back = returnLine
    back?.set(baud: board.boardBaud, board.device.sendingFormat, at: board.settled)
    func hand(_ event: Event) { if back == nil { emit(event) } else { back?.pass(event, emit) } }
    while let due = faults?.nextDeadline, due <= end {
      board.pass(to: due.roundedUpToMicrosecond - .microseconds(1), hand)
      board.take(from: &faults!, by: due, hand)
    }
    board.pass(to: end, hand)
    back?.advance(to: board.settled, emit)
    _ = back?.takeArrived()
    returnLine = back
  }

  package mutating func deliver<D>(to board: inout LiveBoard<D>, _ emit: (Event) -> Void) {
    guard faults != nil else { return }
    board.disturb(by: &faults!, emit)
  }
}

/// The faults of a session that is driven: the seed, and below it each fault on a line of its own.
struct PageFaults {
  private let lines: [String]
  let seed: UInt64
  private(set) var specs: [FaultSpec] = []

  init(_ text: [UInt8]) throws(PageFailure) {
    lines = text.split(separator: UInt8(ascii: "\n")).map { String(decoding: $0, as: UTF8.self) }
    guard let seed = lines.first.map({ UInt64($0) }) ?? FaultPlan.usualSeed else {
      throw PageFailure("expected a seed from 0 to \(UInt64.max)")
    }
    self.seed = seed
    for line in lines.dropFirst() {
      do throws(SpecError) {
        try specs.add(FaultSpec.parse(line))
      } catch {
        throw PageFailure("\(line): \(error.description)")
      }
    }
  }

  /// The options with which the program disturbs a session in the same way.
  var options: String { lines.dropFirst().map { "--fault \($0) " }.joined() + "--seed \(seed)" }

  /// What can be requested, as JSON, in the order along the wire: the name, what it does, the
  /// parameter that it begins with, and those that can be chosen, each with its own.
  static var list: [UInt8] {
    var rows: [[JSONValue]] = [[], [], []]
    for name in FaultName.allCases {
      let usage = name.usage.filter { $0 != "[" && $0 != "]" }
      let value = String(usage.dropFirst(name.rawValue.count + 1))
      var json = JSONText()
      json.add("name", name.rawValue)
      json.add("does", name.summary)
      json.add("value", value)
      json.add("choices", .array(choices(of: name, value)))
      json.add("returns", .bool(name.canReturn))
      let place = (try? FaultSpec.parse(usage))?.first?.place
      rows[place == .network ? 0 : name == .adapter ? 1 : 2].append(json.value)
    }
    return Array(JSONValue.array(rows.flatMap { $0 }).text.utf8)
  }

  private static func choices(of name: FaultName, _ value: String) -> [JSONValue] {
    func choice(_ name: String, _ does: String, _ value: String = "") -> JSONValue {
      .array([.string(name), .string(does), .string(value)])
    }
    switch name {
    case .adapter:
      let loss = String(value.drop { $0 != "," }.dropFirst())
      return Adapter.all.map {
        choice($0.place.rawValue, $0.summary, $0.packetLoss == nil ? "" : loss)
      }
    case .mix: return FaultName.mixtures.map { choice($0.name, $0.summary) }
    default: return []
    }
  }
}
