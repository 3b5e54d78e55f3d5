/// What a program's file says about its code: by its debug information, and by its symbols where
/// there is none.
package struct SourceMap: Sendable {
  private let symbols: SymbolTable

  init(_ symbols: SymbolTable) { self.symbols = symbols }

  /// Whether it knows lines and variables, and not only symbols.
  package var hasLines: Bool { false }

  /// The functions at a byte address of the flash, innermost first: the subroutines that were
  /// inlined there, and the function that contains them. Empty outside of all code.
  package func places(at address: UInt32) -> [SourcePlace] {
    guard let address = UInt16(exactly: address), let symbol = symbols.function(at: address) else {
      return []
    }
    return [SourcePlace(function: symbol.readableName)]
  }

  /// The code of a function such as `loop` or `Servo::write`, also where it was inlined: ranges of
  /// byte addresses, in order. Empty if there is none of that name.
  package func function(named name: String) -> [Range<UInt32>] {
    symbols.symbols.filter { $0.memory == .flash && $0.readableName == name }
      .map { UInt32($0.address)..<UInt32($0.address) + $0.size }
  }

  /// How the caller of the code at a byte address is found; nil if the file does not say.
  package func frame(at address: UInt32) -> FrameRule? { nil }
}

/// A function with the line of its source that an instruction is from.
package struct SourcePlace: Hashable, Sendable {
  /// As it is named in the source, with its classes: `Servo::write`.
  package var function: String
  /// As the compiler was given it; empty if it is not known.
  package var file = ""
  /// From 1; 0 if it is not known.
  package var line = 0

  /// The name of the file without its folders.
  package var fileName: Substring { file.split { $0 == "/" || $0 == "\\" }.last ?? "" }

  /// `Servo::write (Servo.cpp:48)`, or the function alone.
  package var text: String { line == 0 ? function : "\(function) (\(fileName):\(line))" }
}

/// Where a function's frame is at one instruction, and what is saved there.
package struct FrameRule: Hashable, Sendable {
  /// The number of the register that the frame is at: 28 for Y, 32 for the stack pointer.
  package var register: Int
  /// What is added to it. The sum is the canonical frame address, the stack pointer before the call.
  package var offset: Int
  /// The registers that the function has saved, each with its place relative to the canonical
  /// frame address. The return address is the two bytes up to the canonical frame address, the
  /// high byte first.
  package var saved: [SavedRegister]
}

package struct SavedRegister: Hashable, Sendable {
  package var register: Int
  package var offset: Int
}
