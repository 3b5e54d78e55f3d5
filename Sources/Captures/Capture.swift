import Sketches
package import Traces

/// A recording by another tool, examined and ready to be converted.
///
/// The examination reads the recording once: it finds the kind, the channels or ports, the speeds
/// and the length. The conversion reads it again, so memory does not grow with its length.
package struct Capture {
  package typealias Take = (Event) throws(CaptureError) -> Void

  /// The header of the trace. It has `start: "unknown"`, `duration`, `source` and, if the recording
  /// contains them, `recorded`, `resolution` and `uncertainty`.
  package let header: Header
  package let summary: CaptureSummary
  private let events: (Take) throws(CaptureError) -> Void

  init(
    header: Header, summary: CaptureSummary,
    events: @escaping (Take) throws(CaptureError) -> Void
  ) {
    var header = header
    if summary.answersAsGuarded { header.set(firmware: .guarded) }
    self.header = header
    self.summary = summary
    self.events = events
  }

  /// Passes the session's events to `take`, in order of time.
  package func read(_ take: Take) throws(CaptureError) { try events(take) }
}

extension Capture {
  /// Examines a recording: one file, or several if the tool writes one for each channel. `inflate`
  /// decompresses the members of a zip.
  package init(
    _ files: [CaptureFile], _ options: CaptureOptions = .init(), inflate: Inflation? = nil
  ) throws(CaptureError) {
    let files = try files.map { (file) throws(CaptureError) in try file.narrowed() }
    var kind = options.kind
    for (index, file) in files.enumerated() where options.kind == nil {
      let found: CaptureKind
      do throws(CaptureError) {
        found = try CaptureKind(recognizing: CaptureHead(file))
      } catch {
        throw error.inFile(index)
      }
      if let kind, found != kind {
        throw CaptureError(
          .usage, "expected files of one kind, found \(kind.rawValue) and \(found.rawValue)")
      }
      kind = found
    }
    guard let kind, !files.isEmpty else { throw CaptureError(.usage, "expected a file") }
    self = try kind.format.open(files, options, inflate)
  }
}

extension CaptureKind {
  /// Returns the kinds whose recordings can begin like this: one if it is certain, several if it is
  /// not, none if no kind begins like this.
  package static func candidates(for head: CaptureHead) -> [CaptureKind] {
    var certain: [CaptureKind] = []
    var possible: [CaptureKind] = []
    for kind in allCases {
      switch kind.format.recognize(head) {
      case .certain: certain.append(kind)
      case .possible: possible.append(kind)
      case .no: break
      }
    }
    return certain.isEmpty ? possible : certain
  }

  /// Recognizes a recording by its beginning. Fails if no kind matches, or more than one.
  init(recognizing head: CaptureHead) throws(CaptureError) {
    let candidates = Self.candidates(for: head)
    guard candidates.count != 1 else {
      self = candidates[0]
      return
    }
    guard head.length > 0 else { throw CaptureError("expected a recording, found an empty file") }
    if candidates.isEmpty {
      throw CaptureError(
        "expected a recording of a known kind, found none that begins like this; if it is one of "
          + "these, choose it with --from: \(Self.names(Self.allCases, before: "or"))")
    }
    throw CaptureError(
      "expected a recording of one kind, found one that could be "
        + "\(Self.names(candidates, before: "or")); choose with --from")
  }

  /// Returns the names as a list, with a word before the last one.
  package static func names(_ kinds: [CaptureKind], before last: String) -> String {
    kinds.map { $0.rawValue }.listed(before: last)
  }
}

extension [String] {
  /// The texts as a list, with a word before the last one.
  func listed(before last: String) -> String {
    guard count > 1 else { return first ?? "" }
    return dropLast().joined(separator: ", ") + " \(last) " + self[count - 1]
  }
}
