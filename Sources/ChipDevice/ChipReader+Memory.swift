import Sketches

extension ChipReader {
  /// What the reader remembers from one event to the next. Unfinished pulses are not included,
  /// except where they may be a servo's: the session that saw them begin reports them.
  struct Memory: Hashable, Sendable, Savable {
    /// The last pulse reported for the session's own servo, in microseconds; 0 before the first.
    var reported: UInt16 = 0
    /// Whether a timer drives its pin.
    var isDriven = false
    /// What is remembered about the servo library's table; nil if there is none.
    var table: ServoTable.Memory?
    /// Remarks about the program for the user, once each.
    var remarks: [ChipRemark] = []
    /// The same for the other servos; nil if there are none.
    var others: [ServoPins.Servo]?
    /// The pulses on each pin; nil unless servos are found by their pulses.
    var pulses: [PulseWatch]?
    /// The cycle of the first event of another servo; nil before it.
    var firstOther: UInt64?
    /// The pins whose timer has not begun its first pulse, and no event has told its width.
    var starting: [TimerObserver.Start]?
    /// The pins that a servo's end has left high, a bit for each; nil if there are none.
    var leftHigh: UInt32?
    /// The tones; nil if there is nothing to remember.
    var tones: ToneWatch?
    /// The pulses that were not as stored; nil if there is nothing to remember.
    var twitches: TwitchWatch?
    /// The byte that is sent by software; nil if there is none.
    var wire: PinReceiver?
    /// The Arduino pin on which bytes that are sent by software were found; nil if there is none.
    var sender: UInt8?
    /// What each pin has received, while it is not known on which the program sends by software;
    /// empty once it is known, and nil at first.
    var candidates: [PinReceiver]?
    /// The pins of a timer whose pulses have been reported and not their end, a bit for each; nil
    /// if there are none.
    var pulsing: UInt32?
    /// The channels of servo drivers that have a servo's pulses; nil if there are none.
    var channels: [String]?
  }
}
