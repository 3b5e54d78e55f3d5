import AVR
public import Aim
public import ArgumentParser
import Captures
import Engine
import Network
import Platform
package import Sessions
package import Sketches
import Traces

// The choices of libraries, which themselves do not depend on the argument parser.
extension AimPoint: ExpressibleByArgument {}
extension CaptureKind: ExpressibleByArgument {}
extension CaptureOptions.Direction: ExpressibleByArgument {}
extension CaptureOptions.Inversion: ExpressibleByArgument {}
extension ControlPolicy: ExpressibleByArgument {}
extension EmulatedPart: ExpressibleByArgument {}
extension Firmware: ExpressibleByArgument {}
extension FollowOptions.Mount: ExpressibleByArgument {}
extension Gravity: ExpressibleByArgument {}
extension LogEntry.Format: ExpressibleByArgument {}
extension Mapping: ExpressibleByArgument {}
extension VisionForm: ExpressibleByArgument {}

extension DisconnectAction: ExpressibleByArgument {
  private static let sweep = "sweep"

  /// Also accepts `scan`, the earlier word for a sweep.
  package init?(argument: String) {
    self.init(rawValue: argument == Self.sweep ? Self.scan.rawValue : argument)
  }

  package static var allValueStrings: [String] {
    allCases.map { $0 == .scan ? sweep : $0.rawValue }
  }
}

extension ServoData: ExpressibleByArgument {
  package init?(argument: String) {
    guard let data = ServoData.presets.first(where: { $0.name == argument }) else { return nil }
    self = data
  }

  package var defaultValueDescription: String { name }
  package static var allValueStrings: [String] { presets.map(\.name) }
  package static var defaultCompletionKind: CompletionKind { .list(allValueStrings) }
}

/// What a shell proposes for values of which there are more than it lists.
enum UsualValues {
  /// The pins of an Arduino Uno.
  static var pins: CompletionKind {
    .list((0...13).map { "D\($0)" } + (0...5).map { "A\($0)" })
  }

  /// The speeds that sketches set most often.
  static var speeds: CompletionKind { .list(["9600", "19200", "38400", "57600", "115200"]) }

  /// What a sketch runs on: a model of it, or the emulated chip.
  static var sketches: CompletionKind { .list(Firmware.allCases.map(\.rawValue) + ["avr:"]) }
}

/// One part of several: `2/4` is the second of four.
extension Shard: ExpressibleByArgument {
  package init?(argument: String) {
    let parts = argument.split(separator: "/", omittingEmptySubsequences: false)
    guard parts.count == 2, let index = Int(parts[0]), let count = Int(parts[1]),
      count >= 1, (1...count).contains(index)
    else { return nil }
    self.init(index, of: count)
  }
}

// Options use these with `transform`, so that an error can say what is missing.
extension Interval {
  /// Parses a length of time: a decimal with a unit, `200us`, `15ms`, `1.5s`.
  static func argument(_ argument: String) throws -> Interval {
    if let interval = Interval(withUnit: argument) { return interval }
    if Interval(withUnit: argument + "s") != nil {
      throw ValidationError("A time needs a unit: write \(argument)s or \(argument)ms.")
    }
    throw ValidationError("A time is a number with a unit: 200us, 15ms or 1.5s.")
  }

  /// Parses a limit of time: a time with a unit, or 0 for no limit.
  static func limit(_ argument: String) throws -> Interval {
    argument == "0" ? .zero : try Self.argument(argument)
  }

  /// The limit that it stands for; nil for none.
  var limit: Interval? { self > .zero ? self : nil }
}
