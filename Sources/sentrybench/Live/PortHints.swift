/// Lines that a newcomer can copy into another terminal to move the turret.
enum PortHints {
  static func lines(for port: String) -> [String] {
    let port = quoted(port)
    return [
      "python3 -c 'import sys; open(sys.argv[1], \"wb\", 0).write(b\"X45.\")' \(port)",
      "printf L | socat -u - \(port),raw,echo=0",
      "printf X135. > \(port)",
    ]
  }

  /// A word for a shell.
  private static func quoted(_ text: String) -> String {
    let plain = text.allSatisfy {
      $0.isASCII && ($0.isLetter || $0.isNumber || "/._-+".contains($0))
    }
    return plain
      ? text
      : "'"
        + text.split(separator: "'", omittingEmptySubsequences: false)
        .joined(separator: "'\\''") + "'"
  }
}
