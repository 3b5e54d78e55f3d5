import Serial

/// The pty of a live session and the link to it.
final class LivePort {
  private var door: PtyDoor?
  private let link: PortLink

  /// `link`: where the symbolic link goes; nil: the default place. The link is removed with this,
  /// or by a signal that ends the process.
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

  /// Hands the door over, once.
  func takeDoor() -> PtyDoor? { door.take() }
}
