import Foundation

/// Reads the text exposition format 0.0.4 and rejects anything that it does not allow.
package struct PrometheusChecker {
  package struct Refusal: Error, Equatable {
    package var line: Int
    package var why: String
  }

  package struct Family {
    package var kind: String
    package var help: String
  }

  package private(set) var families: [String: Family] = [:]
  /// Values by `name{labels}`, as written.
  package private(set) var samples: [String: Double] = [:]
  private var help: [String: String] = [:]
  /// The family whose samples are allowed now.
  private var current = ""
  private var lineNumber = 0

  package init(_ text: String) throws {
    guard text.isEmpty || text.hasSuffix("\n") else {
      throw Refusal(line: 0, why: "no line feed at the end")
    }
    for line in text.split(separator: "\n", omittingEmptySubsequences: false).dropLast() {
      lineNumber += 1
      try line.hasPrefix("#") ? takeComment(String(line)) : takeSample(String(line))
    }
    guard Set(help.keys) == Set(families.keys) else { throw refusal("help and types differ") }
    try checkHistograms()
  }

  private func refusal(_ why: String) -> Refusal { Refusal(line: lineNumber, why: why) }

  private mutating func takeComment(_ line: String) throws {
    if let match = line.wholeMatch(of: /# HELP ([a-zA-Z_:][a-zA-Z0-9_:]*) ((?:[^\\]|\\\\|\\n)+)/) {
      guard help.updateValue(String(match.2), forKey: String(match.1)) == nil else {
        throw refusal("a second HELP")
      }
    } else if let match = line.wholeMatch(
      of: /# TYPE ([a-zA-Z_:][a-zA-Z0-9_:]*) (counter|gauge|histogram)/)
    {
      let name = String(match.1)
      guard let help = help[name] else { throw refusal("TYPE without HELP") }
      guard families[name] == nil else { throw refusal("a second TYPE") }
      guard (match.2 == "counter") == name.hasSuffix("_total") else {
        throw refusal("_total is for counters")
      }
      families[name] = Family(kind: String(match.2), help: help)
      current = name
    } else {
      throw refusal("no HELP or TYPE")
    }
  }

  private mutating func takeSample(_ line: String) throws {
    let label = #"[a-zA-Z_][a-zA-Z0-9_]*="(?:[^"\\\n]|\\\\|\\"|\\n)*""#
    let pattern = try Regex<(Substring, Substring, Substring?, Substring)>(
      #"([a-zA-Z_:][a-zA-Z0-9_:]*)(\{"# + label + "(?:," + label
        + #")*\})? (NaN|[+-]Inf|-?[0-9]+(?:\.[0-9]+)?)"#)
    guard let match = line.wholeMatch(of: pattern) else { throw refusal("no sample") }
    let name = String(match.output.1)
    let family = try families[name] == nil ? histogram(of: name) : name
    guard family == current else { throw refusal("\(name) is not in the family before it") }
    guard families[family]?.kind != "histogram" || family != name else {
      throw refusal("a histogram's own name has no sample")
    }
    guard let value = Double(match.output.3) else { throw refusal("no number") }
    guard families[family]?.kind == "gauge" || value >= 0 else { throw refusal("below 0") }
    let key = name + (match.output.2 ?? "")
    guard samples.updateValue(value, forKey: key) == nil else {
      throw refusal("\(key) is there twice")
    }
  }

  private func histogram(of name: String) throws -> String {
    for suffix in ["_bucket", "_sum", "_count"] where name.hasSuffix(suffix) {
      let family = String(name.dropLast(suffix.count))
      if families[family]?.kind == "histogram" { return family }
    }
    throw refusal("\(name) has no TYPE")
  }

  /// Checks that buckets increase with their bounds, and that the last one contains all values.
  private func checkHistograms() throws {
    for (name, family) in families where family.kind == "histogram" {
      let buckets = samples.compactMap { key, value -> (bound: Double, value: Double)? in
        guard key.hasPrefix("\(name)_bucket{le=\""), key.hasSuffix("\"}") else { return nil }
        let bound = key.dropFirst(name.count + 12).dropLast(2)
        return (bound == "+Inf" ? .infinity : Double(bound) ?? .nan, value)
      }.sorted { $0.bound < $1.bound }
      guard buckets.last?.bound == .infinity, buckets.last?.value == samples["\(name)_count"],
        samples["\(name)_sum"] != nil, !buckets.contains(where: \.bound.isNaN),
        zip(buckets, buckets.dropFirst()).allSatisfy({ $0.value <= $1.value })
      else { throw refusal("the histogram \(name) is none") }
    }
  }
}
