package import Turret
package import Verification

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

  /// The session in more detail than a picture of fixed size shows.
  package internal(set) var session: PlottedSession
  package var firmware: Firmware
  var commands: [ReportedCommand] = []
  /// What is seen of the bytes if no model behaves as the sketch; nil if one does.
  package internal(set) var observed: ObservedSession?
  var fateCounts: [Fate: Int] = [:]
  var guarded: Counterpart?
  /// How the report was made: names and values.
  package var facts: [(name: String, value: String)] = []
  /// What a reader must know about the report itself, a sentence each.
  package var remarks: [String] = []
  package var attachment: Attachment?

  init(_ session: PlottedSession, firmware: Firmware) {
    self.session = session
    self.firmware = firmware
  }

  /// Sets a fact, which is added if there is none of that name.
  package mutating func set(_ name: String, _ value: String) {
    if let index = facts.firstIndex(where: { $0.name == name }) {
      facts[index].value = value
    } else {
      facts.append((name: name, value: value))
    }
  }

  var byteCount: Int { fateCounts.values.reduce(0, +) }
}
