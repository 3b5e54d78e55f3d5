package import Turret
package import Verification

/// Everything that a report shows of one session.
package struct SessionReport: Sendable {
  /// The same bytes on another sketch.
  struct Counterpart: Sendable {
    var session: PlottedSession
    var fateCounts: [Fate: Int]
  }

  /// The compressed trace, which the reader can save.
  package struct Attachment: Hashable, Sendable {
    /// The trace's file name, without `.gz`.
    package var name: String
    package var gzip: [UInt8]

    package init(name: String, gzip: [UInt8]) {
      self.name = name
      self.gzip = gzip
    }
  }

  /// The session in more detail than a picture of fixed size shows.
  package internal(set) var session: PlottedSession
  package var firmware: Firmware
  var commands: [ReportedCommand] = []
  /// What the outputs show of the bytes if no model behaves as the sketch; nil if one does.
  package internal(set) var observed: ObservedSession?
  var fateCounts: [Fate: Int] = [:]
  var guarded: Counterpart?
  /// What is wrong with the recording; nil if nothing is, or if it is not one.
  package var fault: ReportVerdict?
  /// Says that no command fits the sketch; nil if one does.
  var objection: String?
  /// How the report was made: names and values.
  package var facts: [(name: String, value: String)] = []
  /// Notes about the report itself, one sentence each.
  package var remarks: [String] = []
  package var attachment: Attachment?

  init(_ session: PlottedSession, firmware: Firmware) {
    self.session = session
    self.firmware = firmware
  }

  /// Sets the fact of this name, or adds it if there is none.
  package mutating func set(_ name: String, _ value: String) {
    if let index = facts.firstIndex(where: { $0.name == name }) {
      facts[index].value = value
    } else {
      facts.append((name: name, value: value))
    }
  }

  var byteCount: Int { fateCounts.values.reduce(0, +) }
}
