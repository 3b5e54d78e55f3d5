import Aim
import ArgumentParser

/// `LABEL:CONFIDENCE`; the label may have colons too.
struct GateArgument: ExpressibleByArgument {
  var gate: Gate

  init?(argument: String) {
    guard let colon = argument.lastIndex(of: ":"), colon > argument.startIndex,
      let least = Double(argument[argument.index(after: colon)...])
    else { return nil }
    gate = Gate(label: String(argument[..<colon]), least: least)
  }
}
