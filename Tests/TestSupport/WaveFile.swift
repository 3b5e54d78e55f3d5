/// A file of waveforms, read and decoded with as little as possible, to check what was written.
package struct WaveFile {
  package typealias Change = (nanoseconds: Double, isHigh: Bool)

  /// The levels of each wire, beginning with that at time 0.
  package var wires: [String: [Change]] = [:]
  /// The texts and numbers of a VCD.
  package var notes: [String: [(nanoseconds: Double, text: String)]] = [:]
  /// The end of the recording; 0 if the file does not state it.
  package var end = 0.0

  // MARK: Formats

  package init(vcd text: String) {
    var names: [Substring: String] = [:]
    var period = 0.0
    var now = 0.0
    for line in text.split(separator: "\n") {
      let words = line.split(separator: " ")
      switch words[0] {
      case "$timescale":
        let units: [Substring: Double] = ["s": 1e9, "ms": 1e6, "us": 1e3, "ns": 1, "ps": 1e-3]
        let unit = units[words[2]] ?? 0
        period = (Double(words[1]) ?? 0) * unit
      case "$var":
        names[words[3]] = String(words[4])
      case _ where line.hasPrefix("$"): break
      case _ where line.hasPrefix("#"): now = (Double(line.dropFirst()) ?? -1) * period
      case _ where words.count == 2:
        guard let name = names[words[1]] else { continue }
        notes[name, default: []].append((now, Self.unescaped(words[0].dropFirst())))
      default:
        guard let name = names[line.dropFirst()] else { continue }
        wires[name, default: []].append((now, line.first == "1"))
      }
    }
    end = now
  }

  package init(saleae text: String) {
    let rows = text.split(separator: "\n").map { $0.split(separator: ",") }
    for row in rows.dropFirst() {
      for (name, level) in zip(rows[0], row).dropFirst() {
        append(String(name), (Double(row[0]) ?? -1) * 1e9, level == "1")
      }
    }
  }

  package init(sigrokCSV text: String, rate: Double) {
    let rows = text.split(separator: "\n").filter { !$0.hasPrefix(";") }
    let names = rows[0].split(separator: ",").map(String.init)
    for (tick, row) in rows.dropFirst().enumerated() {
      for (name, level) in zip(names, row.split(separator: ",")) {
        append(name, Double(tick) * 1e9 / rate, level == "1")
      }
    }
    end = Double(rows.count - 1) * 1e9 / rate
  }

  /// A byte for each sample, whose bits are the wires in this order.
  package init(samples: [UInt8], names: [String], rate: Double) {
    for (tick, sample) in samples.enumerated() {
      for (bit, name) in names.enumerated() {
        append(name, Double(tick) * 1e9 / rate, sample >> UInt8(bit) & 1 == 1)
      }
    }
    end = Double(samples.count) * 1e9 / rate
  }

  private mutating func append(_ name: String, _ nanoseconds: Double, _ isHigh: Bool) {
    if wires[name]?.last?.isHigh != isHigh {
      wires[name, default: []].append((nanoseconds, isHigh))
    }
  }

  private static func unescaped(_ text: Substring) -> String {
    var bytes: [UInt8] = []
    var rest = text.utf8[...]
    while let byte = rest.popFirst() {
      if byte != UInt8(ascii: "\\") {
        bytes.append(byte)
      } else if rest.first == UInt8(ascii: "x") {
        let digits = Substring(rest.dropFirst().prefix(2))
        bytes.append(UInt8(digits, radix: 16) ?? 0)
        rest = rest.dropFirst(3)
      } else {
        bytes.append(rest.popFirst() ?? 0)
      }
    }
    return String(decoding: bytes, as: UTF8.self)
  }

  // MARK: Decoding

  /// Decodes bytes (8N1), each sampled in the middle of its bits. `bauds` are the speeds of the
  /// bytes, in order; further bytes have the last.
  package func bytes(
    on wire: String, bauds: [Int]
  ) -> [(nanoseconds: Double, byte: UInt8)] {
    var bytes: [(nanoseconds: Double, byte: UInt8)] = []
    let changes = wires[wire] ?? []
    var index = 1
    while index < changes.count {
      let start = changes[index].nanoseconds
      guard !changes[index].isHigh, let baud = bauds.dropFirst(bytes.count).first ?? bauds.last
      else {
        index += 1
        continue
      }
      let bit = 1e9 / Double(baud)
      var byte: UInt8 = 0
      for position in 1...9 {
        let middle = start + (Double(position) + 0.5) * bit
        while index + 1 < changes.count, changes[index + 1].nanoseconds <= middle { index += 1 }
        if position < 9, changes[index].isHigh { byte |= 1 << UInt8(position - 1) }
      }
      bytes.append((start, byte))
      index += 1
    }
    return bytes
  }

  /// The rising edges and widths of the pulses that end.
  package func pulses(on wire: String) -> [(nanoseconds: Double, width: Double)] {
    let changes = wires[wire] ?? []
    var pulses: [(nanoseconds: Double, width: Double)] = []
    for (rise, fall) in zip(changes, changes.dropFirst()) where rise.isHigh && !fall.isHigh {
      pulses.append((rise.nanoseconds, fall.nanoseconds - rise.nanoseconds))
    }
    return pulses
  }
}
