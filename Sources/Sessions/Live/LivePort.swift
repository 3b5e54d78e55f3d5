import Serial

/// The pty of a live session and its link.
final class LivePort {
  private var pty: PtyPort?
  private var link: PortLink?
  /// The stable path.
  let path: String

  /// `link` is the path of the symbolic link; nil for the default. With `isPrivate` the default is
  /// a path of the session's own. The link is removed with this object, or by a signal that ends
  /// the process.
  init(link path: String?, isPrivate: Bool, baud: Int) throws(Failure) {
    let pty = try Failure.ofPort { () throws(SerialError) in
      try PtyPort.make(baud: baud, isReplaceable: true)
    }
    let target = pty.path
    let link = try Failure.ofPort { () throws(SerialError) in
      if path == nil, isPrivate { return try PortLink.makePrivate(to: target) }
      return try PortLink.make(at: path ?? PortLink.defaultPath, to: target)
    }
    self.path = link.absolutePath
    self.pty = consume pty
    Signals.link = link.removal
    self.link = consume link
  }

  /// Creates a pty without a link, for senders in the same process.
  init(baud: Int) throws(Failure) {
    let pty = try Failure.ofPort { () throws(SerialError) in try PtyPort.make(baud: baud) }
    path = pty.path
    link = nil
    self.pty = consume pty
  }

  /// Makes the link lead to the pty that has replaced the first one.
  func lead(to pty: String) throws(SerialError) {
    try link?.lead(to: pty)
    Signals.link = link?.removal
  }

  /// Transfers the connection to the caller, once.
  func takePty() -> PtyPort? { pty.take() }
}
