import Engine
import Sketches
import Traces

/// Builds Prometheus' text exposition format, version 0.0.4. The help, type and samples of each
/// family are in one block.
struct PrometheusText: Sendable {
  enum Kind: String, Sendable {
    case counter, gauge, histogram
  }

  private var bytes: [UInt8] = []
  private var family = ""

  var text: String { String(decoding: bytes, as: UTF8.self) }

  /// Begins a family, to which the following samples belong. The name of a counter ends with
  /// `_total`; any other is a gauge, unless `kind` is given.
  mutating func begin(_ name: String, _ help: String, kind: Kind? = nil) {
    family = name
    let kind = kind ?? (name.hasSuffix("_total") ? .counter : .gauge)
    bytes.append("# HELP \(name) \(Self.escaped(help, quotes: false))\n")
    bytes.append("# TYPE \(name) \(kind.rawValue)\n")
  }

  mutating func add(_ value: Int, _ labels: KeyValuePairs<String, String> = [:]) {
    add(suffix: "", labels, "\(value)")
  }

  /// A family with one duration, in seconds.
  mutating func put(_ name: String, _ help: String, _ value: Interval) {
    begin(name, help)
    add(suffix: "", [:], String(shortest: value))
  }

  /// A family with one sample.
  mutating func put(_ name: String, _ help: String, _ value: Int) {
    begin(name, help)
    add(value)
  }

  /// A family with a sample for each case of a label.
  mutating func put<Label: CaseIterable & RawRepresentable<String> & Hashable>(
    _ name: String, _ help: String, _ counts: [Label: Int], by label: String
  ) {
    begin(name, help)
    for value in Label.allCases { add(counts[value, default: 0], [label: value.rawValue]) }
  }

  /// A family with one boolean.
  mutating func put(_ name: String, _ help: String, _ value: Bool) {
    put(name, help, value ? 1 : 0)
  }

  mutating func put(_ name: String, _ help: String, _ histogram: DelayHistogram) {
    begin(name, help, kind: .histogram)
    for (bound, count) in histogram.cumulative {
      add(suffix: "_bucket", ["le": String(shortest: bound)], "\(count)")
    }
    add(suffix: "_bucket", ["le": "+Inf"], "\(histogram.count)")
    add(suffix: "_sum", [:], String(shortest: histogram.sum))
    add(suffix: "_count", [:], "\(histogram.count)")
  }

  private mutating func add(
    suffix: String, _ labels: KeyValuePairs<String, String>, _ value: String
  ) {
    bytes.append(family)
    bytes.append(suffix)
    if !labels.isEmpty {
      let pairs = labels.map { "\($0.key)=\"\(Self.escaped($0.value, quotes: true))\"" }
      bytes.append("{\(pairs.joined(separator: ","))}")
    }
    bytes.append(" \(value)\n")
  }

  private static func escaped(_ text: String, quotes: Bool) -> String {
    var escaped = ""
    for scalar in text.unicodeScalars {
      switch scalar {
      case "\\": escaped += "\\\\"
      case "\n": escaped += "\\n"
      case "\"" where quotes: escaped += "\\\""
      default: escaped.unicodeScalars.append(scalar)
      }
    }
    return escaped
  }
}
