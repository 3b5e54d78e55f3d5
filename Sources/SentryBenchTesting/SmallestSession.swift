import Devices
import Judging
import Platform
import Sketches
import Traces

/// The search for the smallest session that breaks rules.
enum SmallestSession {
  /// `trace` is the session as a trace.
  static func find(
    in trace: String, breaking rules: [SessionRule], on source: any DeviceSource
  ) throws(TurretError) -> String {
    var stated: [Rule] = []
    for rule in rules { stated.append(Rule(try rule.requirement())) }
    do throws(TraceError) {
      let judged = stated.isEmpty ? [Rule.strict] : stated
      guard let text = try smallest(Array(trace.utf8), judged, source) else {
        throw TraceError(
          .malformed, path: "the session", "it breaks none of the rules that it tests")
      }
      return String(decoding: text, as: UTF8.self)
    } catch {
      throw TurretError(error.description)
    }
  }

  private static func smallest(
    _ trace: [UInt8], _ rules: [Rule], _ source: some DeviceSource
  ) throws(TraceError) -> [UInt8]? {
    var reader = try TraceReader(text: trace, path: "the session")
    reader.adoptSketch(of: source)
    let subject = try ShrinkSubject(&reader, firmware: nil, on: source)
    var runs = try subject.runs(judgedBy: rules) { (path) throws(TraceError) in
      try TraceReader(path: path)
    }
    var shrinker = Shrinker(subject.session)
    guard let failure = shrinker.run(&runs), let session = shrinker.smallest else { return nil }
    return try subject.text(
      of: session, title: failure.lines.first ?? "", by: "SentryBenchTesting", rules: rules
    ).trace
  }
}
