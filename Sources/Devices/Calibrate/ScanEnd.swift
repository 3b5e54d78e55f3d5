import Turret

/// A scanning board between two steps, and what came of ending the scan then, each in its own
/// future.
struct ScanEnd<D: Device> {
  /// Just after a step was stored.
  var probe: Probe<D>
  /// When it was.
  var stored: Instant
  /// When the next step is stored if nothing is sent.
  var next: Instant
  /// When an aim of four bytes is stored that had come before the sketch looked.
  var aimed: Instant
  /// The same of an aim with zeros in front, which has so many bytes more.
  var aimedLonger: Instant
  var moreBytes: Int
}
