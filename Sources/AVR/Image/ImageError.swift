/// Why a firmware file is not a program for the emulated chip: where, and a sentence a person can
/// act on.
package struct ImageError: Error, Hashable, Sendable, CustomStringConvertible {
  package enum Code: Hashable, Sendable {
    /// Neither ELF nor Intel HEX.
    case unknownFormat
    /// A program for another processor.
    case wrongProcessor
    /// An ELF file that is not a linked program.
    case notExecutable
    /// The file ends in the middle.
    case truncated
    /// The file contradicts its own format.
    case malformed
    /// A record of Intel HEX whose bytes do not give its checksum.
    case checksum
    /// Two parts of the file fill the same address.
    case overlap
    /// Something is larger than the chip's memory, or than what is read.
    case tooLarge
    /// Nothing in the file goes into the flash.
    case empty
  }

  package enum Place: Hashable, Sendable {
    case file
    /// Of Intel HEX, both from 1, the column in bytes.
    case line(Int, column: Int)
    /// Of an ELF file, in bytes from its beginning.
    case offset(Int)
  }

  package var code: Code
  /// What the file was called.
  package var name: String
  package var place: Place
  /// Goes on where `name` was the subject: "ends at byte 812 inside the section table".
  package var message: String

  init(_ code: Code, name: String, at place: Place = .file, _ message: String) {
    self.code = code
    self.name = name
    self.place = place
    self.message = message
  }

  /// As a compiler writes it: `file:line:column: error: message`.
  package var description: String {
    switch place {
    case .file: "\(name): error: \(message)"
    case .line(let line, let column): "\(name):\(line):\(column): error: \(message)"
    case .offset(let offset): "\(name): error: at byte \(offset): \(message)"
    }
  }
}
