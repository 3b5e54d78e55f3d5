import Traces

extension Waveform {
  /// Sentences about what could not be drawn as it was recorded.
  package var remarks: [String] {
    var remarks: [String] = []
    if cutPulses > 0 {
      remarks.append(
        "\(String(counting: cutPulses, "pulse")) drawn shorter: the next began before the end")
    }
    if lostTransmits > 0 {
      remarks.append(
        "\(String(counting: lostTransmits, "byte")) from the board not drawn: the line had no "
          + "time for them")
    }
    if lostTones > 0 {
      remarks.append(
        "\(String(counting: lostTones, "tone")) not drawn: a higher --samplerate is needed")
    }
    if undrawnPinCount > 0 {
      remarks.append("\(String(counting: undrawnPinCount, "pin")) not drawn: there are too many")
    }
    return remarks
  }
}
