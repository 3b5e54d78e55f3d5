/// A format of waveforms. Its raw value is what `--to` accepts.
package enum WaveformFormat: String, Hashable, Sendable, CaseIterable {
  /// IEEE 1364 value change dump: the wires, and notes as text and numbers.
  case vcd
  /// A sigrok session: the wires.
  case sr
  /// The CSV of sigrok, a row for each sample.
  case csv
  /// The digital CSV of Saleae's Logic 2, a row for each change.
  case saleae
}
