/// A connection of any kind, as seen by a server that is shutting down.
protocol Connection: AnyObject {
  /// Reports that the bench is stopping, and closes in order.
  func goAway()
  /// Closes immediately.
  func cut()
  /// Closes immediately, because a newer connection requires the place.
  func giveWay()
}

extension Connection {
  func giveWay() { cut() }
}
