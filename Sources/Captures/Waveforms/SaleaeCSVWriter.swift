import Sketches
import Traces

/// Writes the digital CSV of Saleae's Logic 2: a row for each change, with its time in seconds. The
/// format has no end: the last row is the last change.
package struct SaleaeCSVWriter: WaveSink {
  package var bytes: [UInt8] = []
  private let rate: SampleRate
  private var levels = WireLevels.atRest

  package init(rate: SampleRate) {
    self.rate = rate
    bytes.append("Time [s]")
    for wire in BoardWire.allCases { bytes.append(",\(wire.channelName)") }
    bytes.append("\n")
    appendRow(at: 0)
  }

  package mutating func change(
    _ levels: WireLevels, _ notes: [(WaveNote, WaveValue)], at tick: Int64
  ) {
    guard levels != self.levels else { return }
    self.levels = levels
    appendRow(at: tick)
  }

  package mutating func pass(to tick: Int64) {}
  package mutating func finish(at tick: Int64) {}

  private mutating func appendRow(at tick: Int64) {
    let (seconds, rest) = tick.quotientAndRemainder(dividingBy: rate.hertz)
    bytes.append(seconds)
    bytes.append(UInt8(ascii: "."))
    // Rounded to the nanosecond, so that the sample's number can be found again.
    let billionths = (rest * 1_000_000_000 + rate.hertz / 2) / rate.hertz
    var digits: Int64 = 100_000_000
    while digits > 0 {
      bytes.append(UInt8(ascii: "0") + UInt8(billionths / digits % 10))
      digits /= 10
    }
    for wire in BoardWire.allCases {
      bytes.append(UInt8(ascii: ","))
      bytes.append(UInt8(ascii: levels[wire] ? "1" : "0"))
    }
    bytes.append(UInt8(ascii: "\n"))
  }
}
