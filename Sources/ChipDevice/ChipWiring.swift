package import AVR
package import Turret

/// The chip of an emulated board, what is connected to it, and what is observed there.
package struct ChipWiring: Hashable, Sendable {
  /// The part; nil for the one that the program names, and an ATmega328P if it names none.
  package var part: EmulatedPart?
  package var rate = ClockRate.uno
  /// The noise of the ADC; nil for none.
  package var noise: ADCNoise?
  /// The pin of the session's own servo. Events of other servos name theirs.
  package var servo = BoardPin.usualServo
  /// The range of servos whose own range is not known.
  package var servoRange = ServoRange.standard
  /// The pin that the sender's line is connected to, for a program that receives by software; nil
  /// for the USART's.
  package var receivePin: BoardPin?
  /// The pin that the sender's receiver is connected to, for a program that sends by software; nil
  /// for the USART's.
  package var transmitPin: BoardPin?
  /// The addresses of the PCA9685 servo drivers on the two-wire bus.
  package var drivers: [UInt8] = []
  /// What is applied to pins before the board starts.
  package var inputs: [BoardInput] = []
  /// The pins whose levels are reported.
  package var pins = PinSelection.some([])

  package init() {}
}
