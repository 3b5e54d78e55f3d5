import Devices
package import Sketches
import Traces

/// What happened in a number of worlds, as counts. Tallies of parts of the worlds add up.
package struct WorldTally: Hashable, Sendable {
  /// Where the trace and the device first differ in a world.
  struct Place: Hashable {
    var line: Int
    var difference: Divergence.Difference
  }

  /// How often worlds first differ at a place, and the divergence of the first such world.
  struct Difference: Hashable {
    var count: Int
    var example: Divergence
  }

  /// A world that agrees.
  package struct Near: Hashable, Sendable {
    package var world: Int
    /// The sum of its bytes' distances from the recorded times, in seconds.
    var shift: Double
  }

  /// The number of worlds.
  package private(set) var count = 0
  /// How many of them agree with the recorded outputs.
  package private(set) var agreeing = 0
  /// How many of them show nothing to compare.
  package private(set) var undecided = 0
  private(set) var differences: [Place: Difference] = [:]
  /// The agreeing world whose bytes are nearest to the recorded times.
  package private(set) var nearest: Near?
  /// How often a byte had another fate than in the recording, by the byte's index.
  package private(set) var fates: [Int: [Fate: Int]] = [:]
  /// How often a command had another outcome than in the recording, by the command's index.
  package private(set) var outcomes: [Int: [Fate: Int]] = [:]

  package init() {}

  /// Counts a world. `reference` is what became of the bytes at the recorded times. `verdict` is
  /// nil if the outputs were not compared; `shift` is nil if the world cannot be the nearest.
  package mutating func add(
    world: Int, _ ledger: Ledger, _ verdict: Verdict?, shift: Double? = nil,
    reference: WorldReference
  ) {
    count += 1
    if let verdict { add(verdict, world: world, shift: shift) }
    let (found, recorded) = (ledger.entries, reference.entries)
    guard found.count == recorded.count else { return }
    var index = 0
    for (number, command) in reference.commands.enumerated() {
      var hasChanged = false
      while index < command.bytes.upperBound {
        if found[index].fate != recorded[index].fate {
          fates[index, default: [:]][found[index].fate, default: 0] += 1
          hasChanged = true
        }
        index += 1
      }
      guard hasChanged else { continue }
      let outcome = WorldReference.outcome(of: found[command.bytes])
      if outcome != command.outcome {
        outcomes[number, default: [:]][outcome, default: 0] += 1
      }
    }
  }

  private mutating func add(_ verdict: Verdict, world: Int, shift: Double?) {
    switch verdict.outcome {
    case .agrees:
      agreeing += 1
      if let shift, nearest.map({ shift < $0.shift }) ?? true {
        nearest = Near(world: world, shift: shift)
      }
    case .diverges(let divergence):
      let place = Place(line: divergence.line, difference: divergence.difference)
      differences[place, default: Difference(count: 0, example: divergence)].count += 1
    case .nothingToCompare, .cannotObserve, .deviceFailed, .undecided: undecided += 1
    }
  }

  /// Adds the tally of later worlds.
  package mutating func add(_ other: WorldTally) {
    count += other.count
    agreeing += other.agreeing
    undecided += other.undecided
    // Without `merge`, which Embedded Swift does not have.
    for (place, more) in other.differences {
      differences[place, default: Difference(count: 0, example: more.example)].count += more.count
    }
    if let near = other.nearest, nearest.map({ near.shift < $0.shift }) ?? true { nearest = near }
    for (index, counts) in other.fates { fates[index, default: [:]].add(counts) }
    for (index, counts) in other.outcomes { outcomes[index, default: [:]].add(counts) }
  }
}

extension [Fate: Int] {
  fileprivate mutating func add(_ other: [Fate: Int]) {
    for (fate, count) in other { self[fate, default: 0] += count }
  }
}

/// What became of a session's bytes and commands at the recorded times. For other worlds, only the
/// differences from it are counted.
package struct WorldReference: Sendable {
  /// A command as its sender wrote it.
  package struct Command: Sendable {
    package var bytes: Range<Int>
    /// See `outcome(of:)`.
    package var outcome: Fate
    /// Whether the session ended so soon after it that it may not be whole.
    package var isCut: Bool
  }

  package let entries: [Ledger.Entry]
  /// The commands, which together contain every byte.
  package private(set) var commands: [Command] = []

  package init(_ session: UncertainSession, _ ledger: Ledger, firmware: Firmware) {
    entries = ledger.entries
    var splitter = CommandSplitter(firmware.sketch)
    for (index, byte) in session.bytes.enumerated() {
      splitter.take(byte.value, at: byte.recorded, event: index)
    }
    splitter.finish()
    // If the bytes do not arrive one for one, as at a wrong speed, there are no commands.
    guard entries.count == session.bytes.count else { return }
    let shown = session.header.shownEnd(lastEvent: session.lastTime)
    for (index, command) in splitter.commands.enumerated() {
      let isLast = index + 1 == splitter.commands.count
      let end = isLast ? entries.count : splitter.commands[index + 1].event
      commands.append(
        Command(
          bytes: command.event..<end,
          outcome: Self.outcome(of: entries[command.event..<end]),
          isCut: isLast && command.form == .brokenOff
            && shown - command.last < CommandSplitter.silence))
    }
  }

  /// Returns `letter` for a command that was taken as a whole, or the first other byte's fate.
  static func outcome(of entries: ArraySlice<Ledger.Entry>) -> Fate {
    entries.first { !$0.fate.isPartOfCommand }?.fate ?? .letter
  }
}
