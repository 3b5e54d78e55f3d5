import ArgumentParser
import Turret

/// The pins whose levels are events: a list such as `D7,D8`, or `all`.
struct PinsArgument {
  var selection: PinSelection

  init(_ argument: String) throws {
    if argument == "all" {
      selection = .all
      return
    }
    let names = argument.split(separator: ",", omittingEmptySubsequences: false)
    let pins = names.compactMap { BoardPin(name: String($0)) }.filter { $0.arduino != nil }
    guard pins.count == names.count else {
      throw ValidationError(
        "--pins requires all or a list of pins, for example D7,D8,A0, found \"\(argument)\".")
    }
    selection = .some(Set(pins))
  }
}
