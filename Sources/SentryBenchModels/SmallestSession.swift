package import Devices
import Judging
import Sketches
package import Traces

/// The search for the smallest session that breaks rules.
package enum SmallestSession {
  /// `trace` is the session as a trace, and `open` opens those that rules name.
  package static func find(
    in trace: String, breaking rules: [SessionRule], on source: some DeviceSource,
    open: (String) throws(TraceError) -> TraceReader
  ) throws -> String {
    let stated = try rules.map { Rule(try $0.requirement()) }
    let judged = stated.isEmpty ? [Rule.strict] : stated
    do throws(TraceError) {
      var reader = try TraceReader(text: Array(trace.utf8), path: "the session")
      reader.adoptSketch(of: source)
      let subject = try ShrinkSubject(&reader, firmware: nil, on: source)
      var runs = try subject.shortenedRuns(judgedBy: judged, open: open) { false }
      var shrinker = Shrinker(subject.session)
      guard let failure = shrinker.run(&runs), let session = shrinker.smallest else {
        throw TraceError(
          .malformed, path: "the session", "it breaks none of the rules that it tests")
      }
      let smallest = try subject.text(
        of: session, title: failure.lines.first ?? "", by: "SentryBenchTesting", rules: judged)
      return String(decoding: smallest.trace, as: UTF8.self)
    } catch {
      throw TurretError(error.description)
    }
  }
}
