package import Turret

extension Model: RestorableDevice {
  package static let kind = "model"
}
