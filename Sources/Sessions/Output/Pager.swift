import Engine
import Platform
import SystemPackage

/// Shows a long text page by page, in the program that PAGER names, or in less.
package struct Pager: Hashable, Sendable {
  private static let usual = "less"
  /// less then ends by itself if the text fits, keeps colours, and leaves the text on the screen.
  private static let lessOptions = "FRX"

  /// Whether a person reads the output, and can press keys.
  package var isWatched = false
  /// The height of the terminal, in lines.
  package var rows = 24
  /// The value of a variable of the environment; nil if it is not set.
  private let variables: [String: String]

  package init(_ variables: [String: String]) { self.variables = variables }

  /// The pager of this process.
  package static var current: Pager {
    var variables: [String: String] = [:]
    for name in ["CI", "PAGER", "LESS", "TERM"] {
      variables[name] = getenv(name).map { String(cString: $0) }
    }
    var pager = Pager(variables)
    pager.isWatched = isatty(STDIN_FILENO) == 1 && isatty(STDOUT_FILENO) == 1
    var size = winsize()
    if ioctl(STDOUT_FILENO, UInt(TIOCGWINSZ), &size) == 0, size.ws_row > 0 {
      pager.rows = Int(size.ws_row)
    }
    return pager
  }

  /// The command that shows a text of this many lines; nil if the text is to be printed: it fits,
  /// no person reads it, or PAGER is empty.
  package func command(forLines count: Int) -> [String]? {
    guard isWatched, count >= rows, (variables["CI"] ?? "").isEmpty, variables["TERM"] != "dumb"
    else { return nil }
    guard let chosen = variables["PAGER"] else { return [Self.usual] }
    // It can have options, which only a shell divides.
    return chosen.isEmpty ? nil : ["/bin/sh", "-c", chosen]
  }

  /// Shows a text that ends with a line break, and returns when it was left. Returns whether it was
  /// shown; otherwise it must be printed.
  package func show(_ text: String) -> Bool {
    guard let command = command(forLines: text.utf8.count { $0 == UInt8(ascii: "\n") }),
      let pipe = try? FileDescriptor.closeOnExecPipe()
    else { return false }
    let options = variables["LESS"] == nil ? [(name: "LESS", value: Self.lessOptions)] : []
    let started = try? ChildProcess.start(
      command, adding: options, wiring: .init(input: pipe.readEnd, output: .standardOutput))
    try? pipe.readEnd.close()
    guard var child = started else {
      try? pipe.writeEnd.close()
      return false
    }
    // Ctrl-C is for the pager, which has the terminal now.
    signal(SIGINT, SIG_IGN)
    // It can be left before its end.
    _ = try? pipe.writeEnd.writeAll(Array(text.utf8))
    try? pipe.writeEnd.close()
    _ = child.wait()
    // As in a shell: 126 and 127 if it cannot be started.
    return ![126, 127].contains(child.status?.rawValue ?? 0)
  }
}
