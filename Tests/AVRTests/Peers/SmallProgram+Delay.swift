extension SmallProgram {
  /// Source that takes exactly this many cycles, at least 9, in R24 and R25.
  ///
  /// - Parameter label: its name in the program.
  static func delay(_ cycles: Int, _ label: String) -> String {
    // Two LDI, and 4 cycles for each turn but the last, whose branch is not taken.
    let turns = (cycles - 1) / 4
    let source = "r24=\(turns & 0xFF); r25=\(turns >> 8); \(label):; sbiw r24, 1; brne \(label); "
    let rest = cycles - 4 * turns - 1
    return rest == 0 ? source : source + "nop*\(rest); "
  }
}
