/// The meaning of a cell's colour. The colours are the terminal's own sixteen, so they suit its
/// theme.
enum ScreenStyle: UInt8, Hashable {
  case plain
  /// Labels, rules, scales.
  case faint
  case strong
  case commanded
  case shaft
  case warning
  case alarm

  /// The parameters of the escape sequence that selects it.
  var parameters: String {
    switch self {
    case .plain: "0"
    case .faint: "0;2"
    case .strong: "0;1"
    case .commanded: "0;32"
    case .shaft: "0;1;36"
    case .warning: "0;33"
    case .alarm: "0;1;31"
    }
  }
}
