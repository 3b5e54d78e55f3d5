/// The owner of each register and interrupt. Built once from what the peripherals declare.
struct AddressMap: Sendable {
  /// By address, 0...0xFF; nil if reserved.
  let registers: [Peripherals.Owner?]
  /// By vector number, 0...31; nil if there is no such interrupt or its source is not emulated.
  let vectors: [Peripherals.Owner?]

  init() {
    var claims = Claims()
    for owner in Peripherals.Owner.allCases { Peripherals.visit(owner, (), &claims) }
    registers = claims.registers
    vectors = claims.vectors
  }

  private struct Claims: PeripheralVisitor {
    var registers = [Peripherals.Owner?](repeating: nil, count: 0x100)
    var vectors = [Peripherals.Owner?](repeating: nil, count: 32)

    mutating func visit<P: Peripheral>(_: P.Type, _: Void) {
      for register in P.Register.allCases {
        let address = Int(register.rawValue)
        precondition(registers[address] == nil, "two peripherals have one register")
        registers[address] = P.owner
      }
      for vector in 0..<32 where P.vectors & (1 << UInt32(vector)) != 0 {
        precondition(vectors[vector] == nil, "two peripherals have one interrupt")
        vectors[vector] = P.owner
      }
    }
  }
}
