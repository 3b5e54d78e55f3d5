import Guarded

extension Sweep {
  /// Whether this state is possible. A sweep read from a file may be invalid. A falling sweep turns
  /// at the bottom; a rising one can start below it.
  var isPossible: Bool {
    next <= Sweep.highest && (isRising || next >= Sweep.lowest)
  }
}
