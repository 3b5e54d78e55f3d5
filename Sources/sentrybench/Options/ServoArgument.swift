import ArgumentParser
import Turret

/// The virtual servo's data, by its name.
struct ServoArgument: ExpressibleByArgument {
  var data: ServoData

  init?(argument: String) {
    guard let data = ServoData.presets.first(where: { $0.name == argument }) else { return nil }
    self.data = data
  }

  static let allValueStrings = ServoData.presets.map(\.name)
}
