/// The values of RFC 2217's SET-CONTROL.
package enum PortControl: UInt8, Hashable, Sendable {
  case askFlow = 0
  case noFlow, softwareFlow, hardwareFlow
  case askBreak, breakOn, breakOff
  /// DTR and RTS: set is the active state, in which an Uno's pin is low.
  case askDTR, setDTR, clearDTR
  case askRTS, setRTS, clearRTS
  case askInboundFlow, noInboundFlow, softwareInboundFlow, hardwareInboundFlow
  /// Flow control by other lines: DCD and DSR for what is sent, DTR for what is received.
  case carrierFlow, terminalReadyInboundFlow, setReadyFlow
}
