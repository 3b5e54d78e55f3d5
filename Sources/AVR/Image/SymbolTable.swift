/// The symbols of a program, by name or by address.
package struct SymbolTable: Hashable, Sendable {
  /// In the order of the file.
  package let symbols: [Symbol]
  /// Indices of the functions and labels in flash, sorted by address and then by order in the file.
  private let code: [Int]
  private let indices: [String: Int]

  package init(_ symbols: [Symbol]) {
    self.symbols = symbols
    code = symbols.indices.filter { symbols[$0].memory == .flash && symbols[$0].kind != .object }
      .sorted { (symbols[$0].address, $0) < (symbols[$1].address, $1) }
    var indices: [String: Int] = [:]
    for (index, symbol) in symbols.enumerated() where indices[symbol.name] == nil {
      indices[symbol.name] = index
    }
    self.indices = indices
  }

  package var isEmpty: Bool { symbols.isEmpty }

  /// The symbol with this (mangled) name. If several files have a local symbol with this name, the
  /// first of them.
  package subscript(name: String) -> Symbol? { indices[name].map { symbols[$0] } }

  /// The function that contains the instruction at a byte address of flash, or the preceding label
  /// if there is no function; nil outside of all code.
  package func function(at address: UInt16) -> Symbol? {
    var label: Symbol?
    for index in code[..<firstBehind(address)].reversed() where symbols[index].contains(address) {
      if symbols[index].kind == .function { return symbols[index] }
      label = label ?? symbols[index]
    }
    return label
  }

  /// A byte address of flash for display, such as `loop+0x12`; nil outside of all code.
  package func place(of address: UInt16) -> String? {
    function(at: address).map {
      let offset = address - $0.address
      return offset == 0
        ? $0.readableName : "\($0.readableName)+0x\(String(offset, radix: 16))"
    }
  }

  /// The number of entries of `code` at or before an address.
  private func firstBehind(_ address: UInt16) -> Int {
    var low = 0
    var high = code.count
    while low < high {
      let middle = (low + high) / 2
      if symbols[code[middle]].address <= address { low = middle + 1 } else { high = middle }
    }
    return low
  }
}
