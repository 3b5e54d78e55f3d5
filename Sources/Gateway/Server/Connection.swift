/// A connection of any kind, as the server that is shutting down sees it.
protocol Connection: AnyObject {
  /// Says that the bench ends, and closes in an orderly way.
  func goAway()
  /// Closes at once.
  func cut()
  /// Closes at once, as a newer connection needs the place.
  func giveWay()
}

extension Connection {
  func giveWay() { cut() }
}
