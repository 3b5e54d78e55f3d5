import Serial

/// The pty of a live session and its link.
final class LivePort {
  private var door: PtyDoor?
  private let link: PortLink

  /// `link` is the path of the symbolic link; nil for the default. The link is removed with this
  /// object, or by a signal that ends the process.
  init(link path: String?, baud: Int) throws(Failure) {
    let door = try Failure.from { () throws(SerialError) in try PtyDoor.make(baud: baud) }
    let target = door.path
    link = try Failure.from { () throws(SerialError) in
      try PortLink.make(at: path ?? PortLink.defaultPath, to: target)
    }
    self.door = consume door
    Signals.link = link.removal
  }

  /// The stable path.
  var path: String { link.absolutePath }

  /// Transfers the connection to the caller, once.
  func takeDoor() -> PtyDoor? { door.take() }
}
