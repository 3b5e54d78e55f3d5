package import Platform
import SystemPackage

/// A terminal without a person: the test reads what is shown and presses the keys.
package final class TestTerminal {
  package let keyboard: Int32
  /// The descriptor that a program uses as its terminal.
  package let program: Int32
  private var isOpen = true

  package init(columns: Int, rows: Int) throws {
    var (keyboard, program): (Int32, Int32) = (-1, -1)
    guard openpty(&keyboard, &program, nil, nil, nil) == 0 else { throw Errno(rawValue: errno) }
    (self.keyboard, self.program) = (keyboard, program)
    _ = fcntl(keyboard, F_SETFL, O_NONBLOCK)
    resize(columns: columns, rows: rows)
  }

  deinit {
    close(program)
    hangUp()
  }

  package func resize(columns: Int, rows: Int) {
    var size = winsize(
      ws_row: UInt16(rows), ws_col: UInt16(columns), ws_xpixel: 0, ws_ypixel: 0)
    _ = ioctl(keyboard, UInt(TIOCSWINSZ), &size)
  }

  /// Closes the terminal, as when its window is closed.
  package func hangUp() {
    if isOpen { close(keyboard) }
    isOpen = false
  }

  /// The path that a program opens. `ttyname` is not used, because its buffer is shared by all
  /// threads.
  package var name: String {
    get throws {
      var buffer = [CChar](repeating: 0, count: 256)
      let error = ttyname_r(program, &buffer, buffer.count)
      guard error == 0 else { throw Errno(rawValue: error) }
      return String(decoding: buffer.prefix { $0 != 0 }.map(UInt8.init(bitPattern:)), as: UTF8.self)
    }
  }

  package func press(_ text: String) {
    let bytes = Array(text.utf8)
    _ = write(keyboard, bytes, bytes.count)
  }

  /// Returns what has been written to it and not read yet.
  package func read() -> [UInt8] {
    var all: [UInt8] = []
    var bytes = [UInt8](repeating: 0, count: 65_536)
    while true {
      let count = Self.read(keyboard, &bytes)
      if count <= 0 { return all }
      all += bytes[..<count]
    }
  }

  private static func read(_ descriptor: Int32, _ bytes: inout [UInt8]) -> Int {
    Platform.read(descriptor, &bytes, bytes.count)
  }

  package var mode: termios {
    var mode = termios()
    tcgetattr(program, &mode)
    return mode
  }

  /// Whether a program would find a line to read.
  package var hasInput: Bool {
    var input = pollfd(fd: program, events: Int16(POLLIN), revents: 0)
    return poll(&input, 1, 0) == 1
  }
}
