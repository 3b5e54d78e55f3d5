/// Runs a turn of the bench when the arbiter has something for it. Used only on the event loop.
package protocol TurnTaker: AnyObject {
  func takeTurn()
}
