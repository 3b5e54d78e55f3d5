/// Writes a waveform as a file of one format.
///
/// Samples count from 0 and never decrease. Before the first change, each wire is at rest.
package protocol WaveSink {
  /// The file's bytes that the caller has not taken yet.
  var bytes: [UInt8] { get set }

  /// Takes what changes at a sample: the levels of all wires from there on, and notes.
  mutating func change(
    _ levels: WireLevels, _ notes: [(WaveNote, WaveValue)], at tick: Int64
  ) throws(CaptureError)
  /// Takes what else changes at the sample of the last call of `change(_:_:at:)`. A format that has
  /// only the board's wires ignores it.
  mutating func change(_ pins: [WavePinChange])
  /// Takes note that no change follows before a sample.
  mutating func pass(to tick: Int64) throws(CaptureError)
  /// Ends the file. `tick` is the number of samples.
  mutating func finish(at tick: Int64) throws(CaptureError)
}

extension WaveSink {
  package mutating func change(_ pins: [WavePinChange]) {}
}
