import Guarded

extension Sweep {
  /// Whether a sweep can be like this: one that was read from a file may not. A falling one turns
  /// at the bottom; a rising one may come from below it.
  var isPossible: Bool {
    next <= Sweep.highest && (isRising || next >= Sweep.lowest)
  }
}
