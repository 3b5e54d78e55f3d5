package import Turret

/// Everything that a report shows of one session.
package struct SessionReport: Sendable {
  /// The same bytes on another sketch.
  struct Counterpart: Sendable {
    var session: PlottedSession
    var fateCounts: [Fate: Int]
  }

  /// The trace, compressed, to be saved by the reader.
  package struct Attachment: Hashable, Sendable {
    /// The trace's file name, without `.gz`.
    package var name: String
    package var gzip: [UInt8]

    package init(name: String, gzip: [UInt8]) {
      self.name = name
      self.gzip = gzip
    }
  }

  /// The trace's name, for an index.
  package var name: String
  package var verdict: ReportVerdict
  /// The session in more detail than a picture of fixed size shows.
  package internal(set) var session: PlottedSession
  package var firmware: Firmware
  var commands: [ReportedCommand] = []
  var fateCounts: [Fate: Int] = [:]
  var guarded: Counterpart?
  /// How the report was made: names and values.
  package var facts: [(name: String, value: String)] = []
  /// What a reader must know about the report itself, a sentence each.
  package var remarks: [String] = []
  package var attachment: Attachment?

  init(name: String, verdict: ReportVerdict, session: PlottedSession, firmware: Firmware) {
    self.name = name
    self.verdict = verdict
    self.session = session
    self.firmware = firmware
  }

  var byteCount: Int { fateCounts.values.reduce(0, +) }
  var title: String { session.title.flatMap { $0.isEmpty ? nil : $0 } ?? name }
}
