// What Embedded Swift cannot do: a case's name as text.
#if !hasFeature(Embedded)
  /// The registers of a part of the chip that is emulated, by their names in the data sheet.
  package struct RegisterGroup: Sendable {
    package var name: String
    /// With their addresses in the data space.
    package var registers: [(name: String, address: UInt8)]

    private init<Register: RawRepresentable<UInt8> & CaseIterable>(
      _ name: String, _ type: Register.Type, timer: String? = nil
    ) {
      self.name = name
      registers = type.allCases.map { register in
        (Self.name(of: "\(register)", timer), register.rawValue)
      }
    }

    private init(_ name: String, _ registers: [(name: String, address: UInt8)]) {
      (self.name, self.registers) = (name, registers)
    }

    /// The registers of a timer with eight bits have its number in their names: `TCCRA` is TCCR0A.
    private static func name(of register: String, _ timer: String?) -> String {
      guard let timer, register != "ASSR" else { return register }
      let isUnit = register.hasPrefix("TCCR") || register.hasPrefix("OCR")
      return isUnit ? "\(register.dropLast())\(timer)\(register.suffix(1))" : register + timer
    }

    package static var all: [RegisterGroup] {
      [
        RegisterGroup("CPU", [("SPL", 0x5D), ("SPH", 0x5E), ("SREG", 0x5F)]),
        RegisterGroup("PORT", Ports.Register.self),
        RegisterGroup("EXINT", ExternalInterrupts.Register.self),
        RegisterGroup("TC0", Timer0.Register.self, timer: "0"),
        RegisterGroup("TC1", Timer1.Register.self),
        RegisterGroup("TC2", Timer2.Register.self, timer: "2"),
        RegisterGroup("PRESCALER", Prescalers.Register.self),
        RegisterGroup("USART0", USART.Register.self),
        RegisterGroup("SPI", SPI.Register.self),
        RegisterGroup("TWI", TWI.Register.self),
        RegisterGroup("ADC", ADC.Register.self),
        RegisterGroup("AC", AnalogComparator.Register.self),
        RegisterGroup("EEPROM", EEPROM.Register.self),
        RegisterGroup("WDT", Watchdog.Register.self),
        RegisterGroup("BOOT_LOAD", SelfProgramming.Register.self),
        RegisterGroup("SYSTEM", SystemControl.Register.self),
      ]
    }
  }
#endif
