import ArgumentParser
import Captures

/// Options for waveforms as the output.
struct WaveformOptions: ParsableArguments {
  /// What `--to` accepts: a trace, or a format of waveforms.
  enum Target: String, CaseIterable, ExpressibleByArgument {
    case trace, vcd, sr, csv, saleae
  }

  @Option(
    help: ArgumentHelp(
      """
      The format of the output: trace; vcd, for GTKWave and simulators; sr, a sigrok session, for \
      PulseView; csv, sigrok's CSV; saleae, the digital CSV of Logic 2.
      """, valueName: "trace|vcd|sr|csv|saleae"))
  var to = Target.trace

  /// The format; nil for a trace.
  var format: WaveformFormat? { WaveformFormat(rawValue: to.rawValue) }
}

extension SampleRate {
  /// Parses the value of an option.
  init(argument text: String) throws {
    guard let rate = SampleRate(text) else {
      throw ValidationError(
        "requires a frequency from 1 kHz to 1 GHz, such as 1MHz or 500kHz; found \"\(text)\".")
    }
    self = rate
  }
}
