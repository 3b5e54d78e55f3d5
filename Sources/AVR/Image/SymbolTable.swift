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
      .sorted {
        let (left, right) = (symbols[$0], symbols[$1])
        // avr-libc gives what handles no interrupt the names of all that have no handler.
        return (left.address, left.isVectorName ? 0 : 1, $0)
          < (right.address, right.isVectorName ? 0 : 1, $1)
      }
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

/// A name that the linker gave to an address.
package struct Symbol: Hashable, Sendable {
  package enum Kind: Hashable, Sendable {
    case function
    case object
    /// A label in assembly code, or one that the linker set.
    case label
  }

  package enum Memory: Hashable, Sendable {
    case flash
    /// The data space: registers, I/O registers, SRAM.
    case data
    case eeprom
  }

  /// As in the file: C++ names are mangled.
  package var name: String
  package var memory: Memory
  /// The byte address within `memory`.
  package var address: UInt16
  /// The size in bytes. A flash label without a size extends to the next symbol or to the end of
  /// its section.
  package var size: UInt32
  package var kind: Kind
  /// Whether only its own file can name it, as with all functions after link-time optimization.
  package var isLocal: Bool

  package init(
    name: String, memory: Memory, address: UInt16, size: UInt32, kind: Kind, isLocal: Bool = false
  ) {
    self.name = name
    self.memory = memory
    self.address = address
    // No memory is larger, whatever the file says.
    self.size = min(size, 1 << 16)
    self.kind = kind
    self.isLocal = isLocal
  }

  /// The name for display: `Servo::write` for `_ZN5Servo5writeEi`, or `name` itself if it is not a
  /// simple C++ name.
  package var readableName: String { DemangledName(name)?.text ?? name }

  /// Whether it is `__vector_default` or the like, and not a function of that name.
  fileprivate var isVectorName: Bool { kind == .label && name.utf8.starts(with: "__vector_".utf8) }

  /// The name of a variable that belongs to a function, and its name with that of the function:
  /// `turns` and `loop::turns` for `_ZZ4loopvE5turns` and `turns` for C's `turns.1523`.
  var localNames: [String] {
    let bytes = Substring(name).utf8
    guard name.hasPrefix("_ZZ") else {
      let plain = bytes.prefix { $0 != UInt8(ascii: ".") }
      return plain.count < bytes.count ? [String(decoding: plain, as: UTF8.self)] : []
    }
    for end in bytes.indices.reversed() where bytes[end] == UInt8(ascii: "E") {
      let rest = bytes[bytes.index(after: end)...]
      guard let own = DemangledName("_Z" + String(decoding: rest, as: UTF8.self))?.text else {
        continue
      }
      let outer = "_" + String(decoding: bytes[..<end].dropFirst(2), as: UTF8.self)
      let function = DemangledName(outer)
      return [own] + (function.map { [$0.text + "::" + own] } ?? [])
    }
    return []
  }

  /// Whether its name shows that it belongs to a file or function.
  var hasOwnScope: Bool { name.hasPrefix("_ZL") || name.hasPrefix("_ZZ") || name.contains(".") }

  func contains(_ address: UInt16) -> Bool {
    address >= self.address && UInt32(address) - UInt32(self.address) < size
  }
}

/// A simple C++ name, decoded from its mangled form (Itanium C++ ABI, "External Names"): nested
/// names, constructors and destructors, without parameters. Templates, operators and the like are
/// not decoded.
struct DemangledName {
  /// `Servo::write`
  let text: String

  /// Returns nil if the name is not mangled or not simple.
  init?(_ mangled: String) {
    var rest = Substring(mangled).utf8
    func take(_ prefix: StaticString) -> Bool {
      let text = prefix.description.utf8
      guard rest.starts(with: text) else { return false }
      rest = rest.dropFirst(text.count)
      return true
    }
    func takeIdentifier() -> String? {
      _ = take("L")
      let digits = rest.prefix { $0 >= 0x30 && $0 <= 0x39 }
      guard let length = Int(String(decoding: digits, as: UTF8.self)), length > 0 else {
        return nil
      }
      rest = rest.dropFirst(digits.count)
      let identifier = rest.prefix(length)
      guard identifier.count == length else { return nil }
      rest = rest.dropFirst(length)
      let name = String(decoding: identifier, as: UTF8.self)
      return name.hasPrefix("_GLOBAL__N") ? "(anonymous namespace)" : name
    }

    guard take("_Z") else { return nil }
    guard take("N") else {
      guard let name = takeIdentifier(), !take("I") else { return nil }
      text = name
      return
    }
    for qualifier in ["r", "V", "K"] as [StaticString] { _ = take(qualifier) }
    var names: [String] = []
    while !take("E") {
      if let last = names.last, take("C1") || take("C2") {
        names.append(last)
      } else if let last = names.last, take("D0") || take("D1") || take("D2") {
        names.append("~" + last)
      } else if let name = takeIdentifier() {
        names.append(name)
      } else {
        return nil
      }
    }
    guard !names.isEmpty else { return nil }
    text = names.joined(separator: "::")
  }
}
