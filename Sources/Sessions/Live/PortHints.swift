/// Lines that a newcomer can copy into another terminal to move the turret, or to see it in a
/// browser. Many terminals open the address with a click, too.
enum PortHints {
  static func browser(for url: String) -> String {
    #if os(macOS)
      "open \(url)"
    #else
      "xdg-open \(url)"
    #endif
  }

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
