import TestSupport
import Testing

@testable import AVR

@Suite("Symbols of a program")
struct SymbolTableTests {
  private let symbols: SymbolTable

  init() throws {
    symbols = try ProgramImage(contents: ELFBuilder.sample.bytes, name: "a.elf").symbols
  }

  @Test
  func `Variables are found by mangled name, with their address in the data space`() {
    #expect(
      symbols["_ZL6servos"]
        == Symbol(
          name: "_ZL6servos", memory: .data, address: 0x102, size: 6, kind: .object, isLocal: true))
    #expect(symbols["angles"]?.memory == .flash)
    #expect(symbols["saved"]?.memory == .eeprom)
    #expect(symbols["main"]?.kind == .function)
  }

  @Test(arguments: ["__SP_H__", "blink.cpp", "", "undefined"])
  func `Constants, files, sections and undefined symbols are left out`(name: String) {
    #expect(symbols[name] == nil)
  }

  @Test(arguments: [
    (UInt16(0), "__vectors"), (0x1E, "__vectors+0x1e"), (0x20, "loop"), (0x28, "loop+0x8"),
    (0x2F, "loop+0xf"), (0x30, "main"), (0x3D, "main+0xd"), (0x3E, nil), (0x42, nil),
    (0x5F, "__stop_program+0x1"), (0x60, nil), (0x7FFE, nil),
  ])
  func `An address is described by its function, else by the label before it, or not at all`(
    address: UInt16, place: String?
  ) {
    #expect(symbols.place(of: address) == place)
  }

  /// avr-libc has such names for the vectors too, and for what an interrupt without a handler runs.
  @Test func `An address has the name of an interrupt only if that is a function`() {
    func symbol(_ name: String, _ address: UInt16, _ kind: Symbol.Kind = .label) -> Symbol {
      Symbol(name: name, memory: .flash, address: address, size: 0x68, kind: kind)
    }
    let table = SymbolTable([
      symbol("__vectors", 0), symbol("__vector_default", 0), symbol("__bad_interrupt", 0x68),
      symbol("__vector_22", 0x68), symbol("__vector_16", 0xD0, .function),
    ])
    #expect(table.place(of: 0x10) == "__vectors+0x10")
    #expect(table.place(of: 0x68) == "__bad_interrupt")
    #expect(table.place(of: 0xD0) == "__vector_16")
  }

  @Test(arguments: [
    ("_ZZ4loopvE5turns", ["turns", "loop::turns"]), ("_ZZ4loopE5turns", ["turns", "loop::turns"]),
    ("_ZZN5Servo5writeEiE4last_0", ["last", "Servo::write::last"]), ("turns.1523", ["turns"]),
    ("servos", []), ("_ZZ", []), ("_ZZE", []), ("_ZZ4loopvE", []),
  ])
  func `A variable of a function has its own name`(name: String, names: [String]) {
    let symbol = Symbol(name: name, memory: .data, address: 0x100, size: 2, kind: .object)
    #expect(symbol.localNames == names)
  }

  @Test
  func `An empty table describes no address`() {
    #expect(SymbolTable([]).place(of: 0) == nil)
    #expect(SymbolTable([]).isEmpty)
  }

  @Test(arguments: [
    ("_ZL6servos", "servos"), ("_Z4loopv", "loop"), ("_ZN5Servo5writeEi", "Servo::write"),
    ("_ZNK5Servo4readEv", "Servo::read"), ("_ZN5ServoC2Ev", "Servo::Servo"),
    ("_ZN5ServoD1Ev", "Servo::~Servo"),
    ("_ZN12_GLOBAL__N_15tableE", "(anonymous namespace)::table"),
    ("_ZL4stepv.constprop.2", "step"), ("main", "main"), ("__vector_16", "__vector_16"),
    ("_ZdlPv", "_ZdlPv"), ("_ZN5ServoixEi", "_ZN5ServoixEi"),
    ("_Z3maxIiET_S0_S0_", "_Z3maxIiET_S0_S0_"),
    ("_ZN9999abcE", "_ZN9999abcE"), ("_ZN", "_ZN"), ("_ZNE", "_ZNE"), ("_Z", "_Z"), ("", ""),
    ("_Z99999999999999999999x", "_Z99999999999999999999x"), ("_Z0v", "_Z0v"),
  ])
  func `Plain C++ names are demangled and others stay unchanged`(name: String, text: String) {
    let symbol = Symbol(name: name, memory: .flash, address: 0, size: 2, kind: .function)
    #expect(symbol.readableName == text)
  }
}
