/// The program memory: 16 384 words, and the instructions decoded from them.
struct Flash: Hashable, Sendable {
  static let wordCount = 0x4000
  /// The size of a self-programming page, in words.
  static let pageWords = 64
  static let erasedWord: UInt16 = 0xFFFF
  /// A skip at the very end can lead up to three words past it.
  private static let outside = Array(repeating: Instruction(operation: .outside), count: 4)

  /// The number of decoded instructions: one for each word, and those past the end.
  static let codeCount = wordCount + outside.count

  private(set) var words: [UInt16]
  /// One instruction for each word address, whether or not an instruction begins there.
  private(set) var code: [Instruction]
  /// The same without `entry`; nil if `code` has none.
  private var unmarked: [Instruction]?

  init() {
    words = Array(repeating: Self.erasedWord, count: Self.wordCount)
    code = Array(repeating: Instruction(operation: .erased), count: Self.wordCount) + Self.outside
  }

  static func == (left: Flash, right: Flash) -> Bool { left.words == right.words }
  func hash(into hasher: inout Hasher) { hasher.combine(words) }

  /// Programs bytes from a byte address on, ignoring any past the end of the flash.
  mutating func program(_ bytes: some Collection<UInt8>, at address: Int) {
    guard !bytes.isEmpty else { return }
    var place = address
    for byte in bytes {
      let index = place >> 1
      guard index < Self.wordCount else { break }
      if place & 1 == 0 {
        words[index] = words[index] & 0xFF00 | UInt16(byte)
      } else {
        words[index] = words[index] & 0x00FF | UInt16(byte) << 8
      }
      place += 1
    }
    decode(address >> 1..<min(Self.wordCount, (place + 1) >> 1))
  }

  /// Provides the instructions, one for each word address and some past the end, and the words.
  @inline(__always)
  func withCode(
    _ body: (
      _ code: UnsafePointer<Instruction>, _ plain: UnsafePointer<Instruction>,
      _ words: UnsafePointer<UInt16>
    ) -> Void
  ) {
    code.withUnsafeBufferPointer { code in
      words.withUnsafeBufferPointer { words in
        guard let unmarked else {
          return body(code.baseAddress!, code.baseAddress!, words.baseAddress!)
        }
        unmarked.withUnsafeBufferPointer { plain in
          body(code.baseAddress!, plain.baseAddress!, words.baseAddress!)
        }
      }
    }
  }

  /// The instruction at a word address, whether or not its function's calls are reported.
  func plain(at address: Int) -> Instruction { unmarked?[address] ?? code[address] }

  /// Reports calls of the function at a byte address, until the program replaces its code.
  mutating func markEntry(at address: UInt16) {
    let index = Int(address >> 1)
    guard index < Self.wordCount else { return }
    if unmarked == nil { unmarked = code }
    // Skips over it require its length.
    code[index] = Instruction(
      operation: .entry, d: ProbeMarks.call, words: plain(at: index).words)
  }

  mutating func apply(_ operation: FlashOperation) {
    switch operation {
    case .erase(let page):
      let page = page % UInt16(Self.wordCount)
      let range = Int(page)..<min(Self.wordCount, Int(page) + Self.pageWords)
      for index in range { words[index] = Self.erasedWord }
      decode(range)
    case .write(let page, let new):
      let page = page % UInt16(Self.wordCount)
      let range = Int(page)..<min(Self.wordCount, Int(page) + new.count)
      for (index, word) in zip(range, new) { words[index] &= word }
      decode(range)
    }
  }

  /// Replaces the words that differ.
  mutating func replace(by new: [UInt16]) {
    for (index, word) in zip(words.indices, new) where word != words[index] {
      words[index] = word
      decode(index..<index + 1)
    }
  }

  private mutating func decode(_ range: Range<Int>) {
    // The previous word can be the first of a two-word instruction.
    for address in max(0, range.lowerBound - 1)..<range.upperBound {
      let next = words[(address + 1) & (Self.wordCount - 1)]
      code[address] = Decoder.decode(words[address], next: next, at: address)
      unmarked?[address] = code[address]
    }
  }
}
