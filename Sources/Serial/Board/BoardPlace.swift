/// Where a board can be reached. Each session opens its port there again.
package protocol BoardPlace: Sendable {
  /// The device's name in the `source` of a trace recorded there.
  var name: String { get }
  /// Throws if there is certainly no port. Does not disturb an existing one.
  func check() throws(SerialError)
  /// Whether a port that could not be opened may appear later.
  var canAppear: Bool { get }
  /// Opens the port at a speed in bits a second. With `keepsLines`, neither opening nor closing
  /// changes its modem lines, as far as the system permits.
  func open(speed: Int, keepsLines: Bool) throws(SerialError) -> any BoardPort
  /// Opens the port of the same board after it was gone; nil if it is not back.
  func reopen(speed: Int, keepsLines: Bool) throws(SerialError) -> (any BoardPort)?
}
