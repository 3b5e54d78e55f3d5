/// Why a firmware file is not a program for the emulated chip, where, and how to correct it.
package struct ImageError: Error, Hashable, Sendable, CustomStringConvertible {
  package enum Code: Hashable, Sendable {
    /// Neither ELF nor Intel HEX.
    case unknownFormat
    /// A program for another processor.
    case wrongProcessor
    /// An ELF file that is not a linked program.
    case notExecutable
    /// The file ends too early.
    case truncated
    /// The file contradicts its own format.
    case malformed
    /// An Intel HEX record whose checksum is wrong.
    case checksum
    /// Two parts of the file define the same address.
    case overlap
    /// Something exceeds the chip's memory or the limit for files.
    case tooLarge
    /// The file contains nothing for the flash.
    case empty
  }

  package enum Place: Hashable, Sendable {
    case file
    /// In an Intel HEX file. Both count from 1, the column in bytes.
    case line(Int, column: Int)
    /// In an ELF file, in bytes from its beginning.
    case offset(Int)
  }

  package var code: Code
  /// The name of the file.
  package var name: String
  package var place: Place
  /// Continues a sentence that begins with `name`: "ends at byte 812 inside the section table".
  package var message: String

  init(_ code: Code, name: String, at place: Place = .file, _ message: String) {
    self.code = code
    self.name = name
    self.place = place
    self.message = message
  }

  /// In the format of a compiler: `file:line:column: error: message`.
  package var description: String {
    switch place {
    case .file: "\(name): error: \(message)"
    case .line(let line, let column): "\(name):\(line):\(column): error: \(message)"
    case .offset(let offset): "\(name): error: at byte \(offset): \(message)"
    }
  }
}
