package import TurretLink

extension LinkCommand {
  /// `X90.` is an aim and `L` the loss; anything else is passing, as `T`.
  package init(text: String) {
    let kind: Kind =
      switch text.first {
      case "X": .aim
      case "L": .lost
      default: .passing
      }
    self.init(Array(text.utf8), kind)
  }
}
