import Judging
import Sketches
import Traces

/// The data of a picture that its page's script draws: JSON with times in whole microseconds, each
/// stored as the difference from the previous one so that it compresses well.
///
///     {"start": 0, "end": 3000000, "scan": [20, 160], "commanded": {"t": [...], "v": [...]}, ...}
struct PictureData {
  private var text: [UInt8] = []

  /// The fates, which are written as indices: the script lists a model's fates in the same order.
  static let fates = Fate.allCases
  /// The resolution in time of all levels together. Eight pins that never rest fit into a page.
  private static var levelColumns: Int64 { 16_000 }

  /// The JSON of a session. At most `bytesMax` bytes are listed, from the first.
  static func json(of session: PlottedSession, bytesMax: Int = .max) -> [UInt8] {
    var data = PictureData()
    data.write(session, bytesMax: bytesMax)
    return data.text
  }

  private mutating func write(_ session: PlottedSession, bytesMax: Int) {
    text.append("{\"start\": ")
    text.append(Self.microseconds(session.start))
    text.append(", \"end\": ")
    text.append(Self.microseconds(session.end))
    let scan = session.scan.map { "\($0.lowerBound), \($0.upperBound)" } ?? ""
    text.append(", \"scan\": [\(scan)]")
    write("commanded", session.commanded, scale: 1)
    write("expected", session.showsExpected ? session.expected : [], scale: 1)
    write("pulses", session.pulses, scale: 10)
    write("shaft", session.hasShaft ? session.shaft : [], scale: 10)
    let modes = session.modes
    write("modes", modes.map { Self.microseconds($0.start) }, isRising: true)
    write("lengths", modes.map { Self.microseconds($0.end) - Self.microseconds($0.start) })
    write("kinds", modes.map { Int64(ModeBand.allCases.firstIndex(of: $0.mode) ?? 0) })
    let tones = session.tones
    write("tones", tones.map { Self.microseconds($0.start) }, isRising: true)
    write("sounding", tones.map { Self.microseconds($0.end) - Self.microseconds($0.start) })
    write("hertz", tones.map { Int64($0.hertz.rounded()) })
    write("resets", session.resets.map(Self.microseconds), isRising: true)
    text.append(", \"levels\": [")
    for (index, level) in session.levels(thinnedTo: Self.levelColumns).enumerated() {
      text.append("\(index > 0 ? ", " : ""){\"name\": \"\(level.name)\"")
      write("t", level.samples.map { Self.microseconds($0.time) }, isRising: true)
      write("v", level.samples.map { Int64($0.value) }, isRising: true)
      text.append("}")
    }
    text.append("]")
    write(session.bytes.prefix(bytesMax))
    if let divergence = session.divergence {
      write("divergence", [Self.microseconds(divergence.time)])
    }
    text.append("}")
  }

  private mutating func write(_ entries: some Collection<Ledger.Entry>) {
    write("bytes", entries.map { Int64($0.byte) })
    let arrivals = entries.map { Self.microseconds($0.arrived.roundedUpToMicrosecond) }
    write("arrived", arrivals, isRising: true)
    // How long after its arrival each byte was taken; -1 if it never was.
    let waits = zip(entries, arrivals).map { entry, arrived in
      entry.taken.map { max(0, Self.microseconds($0.roundedUpToMicrosecond) - arrived) } ?? -1
    }
    write("waits", waits)
    write("fates", entries.map { Int64(Self.fates.firstIndex(of: $0.fate) ?? 0) })
    // Written as differences, of which most are 0 or 1. A byte that belongs to no command repeats
    // the previous number; the script recognizes it by its fate.
    var last: Int64 = 0
    let commands = entries.map { (entry: Ledger.Entry) -> Int64 in
      if let command = entry.command { last = Int64(command) }
      return last
    }
    write("commands", commands, isRising: true)
    write("ended", entries.enumerated().filter { $1.endedScan }.map { Int64($0.offset) })
  }

  private mutating func write(_ name: String, _ samples: [PlottedSession.Sample], scale: Double) {
    text.append(", \"\(name)\": {\"t\": ")
    write(samples.map { Self.microseconds($0.time) }, isRising: true)
    text.append(", \"v\": ")
    write(samples.map { Int64(($0.value * scale).rounded()) }, isRising: true)
    text.append(", \"scale\": \(Int(scale))}")
  }

  private mutating func write(_ name: String, _ values: [Int64], isRising: Bool = false) {
    text.append(", \"\(name)\": ")
    write(values, isRising: isRising)
  }

  /// Writes values; with `isRising`, each as its difference from the previous one.
  private mutating func write(_ values: [Int64], isRising: Bool = false) {
    text.append("[")
    var last: Int64 = 0
    for (index, value) in values.enumerated() {
      if index > 0 { text.append(",") }
      text.append(value - last)
      if isRising { last = value }
    }
    text.append("]")
  }

  private static func microseconds(_ instant: Instant) -> Int64 { instant.nanoseconds / 1_000 }
}
