import Captures
import TestSupport

/// An invented recording of a logic analyser: the levels of some channels, written in each format.
struct LogicWave: Sendable {
  struct Channel: Sendable {
    var name: String
    /// The levels from an instant on, in nanoseconds; the first one is at 0.
    var levels: [(time: Int64, isHigh: Bool)]

    mutating func set(_ isHigh: Bool, at time: Int64) {
      if levels.last?.isHigh != isHigh { levels.append((time, isHigh)) }
    }

    func level(at time: Int64) -> Bool { levels.last { $0.time <= time }?.isHigh ?? false }
  }

  var channels: [Channel]
  /// In nanoseconds.
  var length: Int64

  init(_ names: [String] = ["RX", "TX", "SERVO"], idle: [Bool] = [true, true, false], ms: Int64) {
    channels = zip(names, idle).map { Channel(name: $0, levels: [(0, $1)]) }
    length = ms * 1_000_000
  }

  /// Sends bytes without a gap. `bits` replaces the data bits and what follows them.
  mutating func send(
    _ bytes: [UInt8], on channel: Int = 0, at start: Int64, baud: Double = 9_600,
    bits: ((UInt8) -> [Bool])? = nil, isInverted: Bool = false
  ) {
    let bit = 1e9 / baud
    var count = 0
    for byte in bytes {
      let plain = (0..<8).map { byte >> UInt8($0) & 1 == 1 } + [true]
      let levels: [Bool] = if let bits { bits(byte) } else { plain }
      for level in [false] + levels {
        channels[channel].set(level != isInverted, at: start + Int64(Double(count) * bit))
        count += 1
      }
    }
    channels[channel].set(!isInverted, at: start + Int64(Double(count) * bit))
  }

  mutating func send(_ text: String, on channel: Int = 0, at start: Int64, baud: Double = 9_600) {
    send(Array(text.utf8), on: channel, at: start, baud: baud)
  }

  mutating func pulse(_ width: Int64, on channel: Int = 2, at start: Int64) {
    channels[channel].set(true, at: start)
    channels[channel].set(false, at: start + width)
  }

  /// Inverts a channel for a while.
  mutating func glitch(_ channel: Int = 0, at time: Int64, width: Int64) {
    let before = channels[channel].level(at: time)
    let after = channels[channel].level(at: time + width)
    var levels = channels[channel].levels.filter { $0.time < time || $0.time > time + width }
    levels += [(time, !before), (time + width, after)]
    channels[channel].levels = levels.sorted { $0.time < $1.time }
  }

  /// The instants at which a channel changes, with all levels.
  var changes: [(time: Int64, high: UInt64)] {
    let times = Set(channels.flatMap { $0.levels.map { $0.time } }).sorted()
    var next = channels.map { _ in 0 }
    var high: UInt64 = 0
    return times.map { time in
      for (bit, channel) in channels.enumerated() {
        while next[bit] < channel.levels.count, channel.levels[next[bit]].time <= time {
          high =
            channel.levels[next[bit]].isHigh ? high | 1 << UInt64(bit) : high & ~(1 << UInt64(bit))
          next[bit] += 1
        }
      }
      return (time, high)
    }
  }

  /// The levels at each sample.
  func samples(rate: Int64) -> [UInt64] {
    let changes = changes
    var index = -1
    return (0..<(length / 1_000 * rate / 1_000_000)).map { sample in
      let time = sample * 1_000_000_000 / rate
      while index + 1 < changes.count, changes[index + 1].time <= time { index += 1 }
      return index < 0 ? 0 : changes[index].high
    }
  }
}
