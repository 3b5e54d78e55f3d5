import Turret

/// The outputs of a kind that are one sequence: those that name the same pin, or none.
struct OutputSequence: Hashable, Sendable {
  var kind: Output.Kind
  var pin: BoardPin?
}
