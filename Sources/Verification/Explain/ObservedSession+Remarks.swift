import Devices
import Traces
import Turret

extension ObservedSession {
  /// What a reader must know about the observations, one sentence each. `sketch`: the name in the
  /// trace, if the sketch has no model.
  package func remarks(sketch: String?) -> [String] {
    if isRecorded {
      let name = sketch.map { " \(PlainText.quoted($0))" } ?? ""
      return [
        "No model behaves like the sketch\(name), so what it took is unknown: --device avr:FILE "
          + "runs its program and shows that."
      ]
    }
    switch shownReads {
    case .ring: return []
    case .register:
      guard bytes.contains(where: { $0.entry.fate == .taken }) else { return [] }
      return [
        "A byte counts as taken when the program reads it from the UART: the program does not use "
          + "the receive buffer of Arduino's core."
      ]
    case .none: return ["The program receives on a pin, so what it takes cannot be seen."]
    }
  }
}
