extension LineFormat: CustomStringConvertible {
  /// The usual abbreviation, for example `7E1`.
  package var description: String {
    let parity =
      switch parity {
      case .none: "N"
      case .odd: "O"
      case .even: "E"
      case .mark: "M"
      case .space: "S"
      }
    let stop =
      switch stopSize {
      case .one: "1"
      case .two: "2"
      case .oneAndAHalf: "1.5"
      }
    return "\(dataSize)\(parity)\(stop)"
  }
}
