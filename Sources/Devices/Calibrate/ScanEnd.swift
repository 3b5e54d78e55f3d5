import Turret

/// A scanning board between two steps, and the effect of ending the scan there in different ways,
/// each on its own copy.
struct ScanEnd<D: Device> {
  /// Just after a step was stored.
  var probe: Probe<D>
  /// When that step was stored.
  var stored: Instant
  /// When the next step is stored if nothing is sent.
  var next: Instant
  /// When an aim of four bytes is stored that arrived before the sketch looked.
  var aimed: Instant
  /// The same for an aim with leading zeros, which is `moreBytes` longer.
  var aimedLonger: Instant
  var moreBytes: Int
}
