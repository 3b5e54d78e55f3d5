/// The sketches whose behaviour the bench models. The raw value is the name in a trace's header.
///
/// A new sketch is added here and in `Boards`; all other code uses its description.
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

  /// The names, joined for use in a sentence.
  package static var list: String {
    let names = allCases.map { $0.rawValue }
    return names.dropLast().joined(separator: ", ") + " or " + (names.last ?? "")
  }
}
