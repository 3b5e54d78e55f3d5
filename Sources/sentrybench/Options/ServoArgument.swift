import ArgumentParser
import Turret

/// The virtual servo's data, selected by name.
struct ServoArgument: ExpressibleByArgument, CustomStringConvertible {
  var data: ServoData

  init(data: ServoData) { self.data = data }

  init?(argument: String) {
    guard let data = ServoData.presets.first(where: { $0.name == argument }) else { return nil }
    self.data = data
  }

  var description: String { data.name }

  static let allValueStrings = ServoData.presets.map(\.name)
}
