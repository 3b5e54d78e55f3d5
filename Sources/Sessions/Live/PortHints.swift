import Sketches

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

  /// `profile` is that of the sketch; nil for one of the bench.
  static func lines(for port: String, _ profile: Profile?) -> [String] {
    let isPlain = port.allSatisfy {
      $0.isASCII && ($0.isLetter || $0.isNumber || "/._-+".contains($0))
    }
    let word = ShellWord.quoted(port)
    if let profile {
      let form = profile.commands.first { !$0.fields.isEmpty } ?? profile.commands.first
      let middles = form?.fields.map {
        Int32((Int64($0.range.lowerBound) + Int64($0.range.upperBound)) / 2)
      }
      let bytes = form?.bytes(middles ?? []) ?? Array("text\n".utf8)
      return ["printf '\(Self.escaped(bytes))' > \(word)"]
    }
    return [
      isPlain
        ? "python3 -c 'open(\"\(port)\", \"wb\", 0).write(b\"X45.\")'"
        : "python3 -c 'import sys; open(sys.argv[1], \"wb\", 0).write(b\"X45.\")' \(word)",
      "printf L | socat -u - \(word),raw,echo=0",
      "printf X135. > \(word)",
    ]
  }

  /// Bytes as the format of `printf` in single quotes.
  static func escaped(_ bytes: [UInt8]) -> String {
    var text = ""
    for byte in bytes {
      switch byte {
      case UInt8(ascii: "\n"): text += "\\n"
      case UInt8(ascii: "\r"): text += "\\r"
      case UInt8(ascii: "%"): text += "%%"
      case UInt8(ascii: "'"), UInt8(ascii: "\\"), ..<0x20, 0x7F...:
        text += "\\" + String(byte, radix: 8, digits: 3)
      default: text.unicodeScalars.append(Unicode.Scalar(byte))
      }
    }
    return text
  }
}
