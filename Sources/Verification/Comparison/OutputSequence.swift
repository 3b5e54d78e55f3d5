import Turret

/// The outputs of one kind that form a sequence: those that name the same pin, or none.
struct OutputSequence: Hashable, Sendable {
  var kind: Output.Kind
  var pin: BoardPin?
}
