/// Lines that a newcomer can copy into another terminal to move the turret.
enum PortHints {
  static func lines(for port: String) -> [String] {
    let isPlain = port.allSatisfy {
      $0.isASCII && ($0.isLetter || $0.isNumber || "/._-+".contains($0))
    }
    let word = ShellWord.quoted(port)
    return [
      isPlain
        ? "python3 -c 'open(\"\(port)\", \"wb\", 0).write(b\"X45.\")'"
        : "python3 -c 'import sys; open(sys.argv[1], \"wb\", 0).write(b\"X45.\")' \(word)",
      "printf L | socat -u - \(word),raw,echo=0",
      "printf X135. > \(word)",
    ]
  }
}
