import ArgumentParser
import Devices
import Sessions

/// Options for faults on the way from the sender to the board.
struct FaultOptions: ParsableArguments {
  @Option(
    help: ArgumentHelp(
      """
      Disturb what the sender sends, for example drop:1% or adapter:ft232r, or what the board \
      sends: drop:1%,on=tx. Can be given more than once, in the order along the wire. --fault list \
      explains all faults.
      """, valueName: "spec"),
    completion: .list(FaultName.allCases.map { "\($0.rawValue):" } + ["list"]),
    transform: FaultArgument.init)
  var fault: [FaultArgument] = []

  @Option(help: "The seed of the random numbers, such as those of the faults. Default: 1.")
  var seed: UInt64?

  func validate() throws {
    if fault.contains(where: { $0.isList }) {
      throw CleanExit.message(FaultName.list.joined(separator: "\n"))
    }
    var all: [FaultSpec] = []
    do throws(SpecError) {
      for argument in fault { try all.add(argument.specs) }
    } catch {
      throw ValidationError("--fault: \(error.message).")
    }
  }

  var areGiven: Bool { !fault.isEmpty }
  var specs: [FaultSpec] { fault.flatMap { $0.specs } }

  /// Refuses a seed without faults. `stated`: those that a scenario states.
  func check(besides stated: [FaultSpec] = []) throws {
    try UsageRule.check(UsageRule("--seed", seed, requires: "--fault", areGiven, stated))
  }

  /// Nil without faults.
  var plan: FaultPlan? {
    areGiven ? FaultPlan(specs, seed: seed ?? FaultPlan.usualSeed) : nil
  }

  /// Prints the seed, with which the session can be repeated.
  func printSeed(_ talk: TalkOptions) {
    guard let plan, talk.verbosity != .quiet else { return }
    Console.remark("faults: seed \(plan.seed)")
  }
}

struct FaultArgument {
  /// Empty for a request of the list.
  var specs: [FaultSpec] = []
  var isList: Bool { specs.isEmpty }

  init(_ argument: String) throws {
    guard argument != "list" else { return }
    do throws(SpecError) {
      specs = try FaultSpec.parse(argument)
    } catch {
      throw ValidationError(error.description)
    }
  }
}
