/// The operations of a location's expression that are used by name (DWARF 5, 7.7.1).
enum DebugOperation: UInt8 {
  case addr = 0x03
  case deref = 0x06
  case const1u = 0x08, const1s, const2u, const2s, const4u, const4s, const8u, const8s, constu, consts
  case dup, drop, over, pick, swap, rot
  case abs = 0x19, and, div, minus, mod, mul, neg, not, or, plus, plusUconst
  case shl, shr, shra, xor, bra, eq, ge, gt, le, lt, ne, skip
  case regx = 0x90, fbreg, bregx, piece, derefSize
  case nop = 0x96
  case callFrameCFA = 0x9C
  case implicitValue = 0x9E, stackValue
}
