/// The sketches whose behaviour the bench knows; the raw value is the name in a trace's header.
///
/// A new sketch is added here and in `Boards`; everything else asks its description.
package enum Firmware: String, Hashable, Sendable, CaseIterable {
  case classic, buzzer, guarded

  /// What distinguishes the sketch from the others.
  package var sketch: SketchDescription {
    switch self {
    case .classic: Classic.description
    case .buzzer: Buzzer.description
    case .guarded: GuardedLoop.description
    }
  }

  /// Their names in a sentence.
  package static var list: String {
    let names = allCases.map { $0.rawValue }
    return names.dropLast().joined(separator: ", ") + " or " + (names.last ?? "")
  }
}
