import ArgumentParser
import Turret

/// Bytes on the command line: text in UTF-8, in which `\n`, `\r`, `\t`, `\\` and `\xFF` stand for
/// one byte each.
struct BytesArgument {
  static let help = "\\n, \\r, \\t, \\\\ and \\xFF stand for one byte each"

  var bytes: [UInt8]

  /// In an argument of this process, every byte that is not part of a character in UTF-8 has become
  /// U+FFFD.
  init(_ argument: String) throws {
    if argument.unicodeScalars.contains("\u{FFFD}"), !Self.isCommandLineText {
      throw ValidationError(
        "The bytes are not text in UTF-8. Write other bytes as \\xFF: two hexadecimal digits.")
    }
    let text = Array(argument.utf8)
    var bytes: [UInt8] = []
    var index = 0
    while index < text.count {
      guard text[index] == UInt8(ascii: "\\") else {
        bytes.append(text[index])
        index += 1
        continue
      }
      let (byte, length) = try Self.escaped(text[(index + 1)...])
      bytes.append(byte)
      index += 1 + length
    }
    self.bytes = bytes
  }

  /// Whether all arguments of this process are text in UTF-8.
  private static var isCommandLineText: Bool {
    (0..<Int(CommandLine.argc)).allSatisfy { index in
      CommandLine.unsafeArgv[index].map { String(validatingCString: $0) != nil } ?? true
    }
  }

  /// Returns the byte that the characters after a backslash stand for, and how many those are.
  private static func escaped(_ text: ArraySlice<UInt8>) throws -> (UInt8, length: Int) {
    switch text.first {
    case UInt8(ascii: "n")?: return (0x0A, 1)
    case UInt8(ascii: "r")?: return (0x0D, 1)
    case UInt8(ascii: "t")?: return (0x09, 1)
    case UInt8(ascii: "\\")?: return (UInt8(ascii: "\\"), 1)
    case UInt8(ascii: "x")?:
      let digits = text.dropFirst().prefix(2)
      if digits.count == 2, digits.allSatisfy({ $0 != UInt8(ascii: "+") && $0 != 0x2D }),
        let byte = UInt8(String(decoding: digits, as: UTF8.self), radix: 16)
      {
        return (byte, 3)
      }
    default: break
    }
    throw ValidationError(
      "A backslash begins \\n, \\r, \\t, \\\\ or \\xFF with two hexadecimal digits; "
        + "write \\\\ for the byte itself.")
  }
}
