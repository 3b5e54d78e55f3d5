import AVR
import Sketches

extension ChipReader {
  /// What the reader remembers from one event to the next. An unfinished pulse is not reported
  /// again: the session that saw it begin reports it.
  struct Memory: Hashable, Sendable, Codable {
    let remarks: [ChipRemark]
    let servos: ServoPins
    /// The pins whose timer has not begun its first pulse, and no event has told its width.
    let starting: [TimerObserver.Start]
    /// What is remembered about the servo library's table; nil if there is none.
    let table: ServoTable.Memory?
    let twitches: TwitchWatch
    let pulses: [PulseWatch]
    let tones: ToneWatch
    /// The byte that is sent by software.
    let wire: PinReceiver
    /// The Arduino pin on which bytes that are sent by software were found; nil if there is none.
    let sender: UInt8?
    /// What each pin has received, while it is not known on which the program sends by software;
    /// empty once it is known.
    let candidates: [PinReceiver]
    let channels: [String]
  }

  var memory: Memory {
    Memory(
      remarks: found.remarks, servos: found.servos, starting: timers.starting,
      table: library.table?.memory, twitches: library.twitches, pulses: pulses.pulses,
      tones: tones.tones, wire: sender.wire, sender: sender.pin, candidates: sender.candidates,
      channels: channels.servos.sorted().map { $0.name })
  }

  /// Continues with a memory that was read from a file, for the chip in its present state. Returns
  /// false if it is not that of a reader like this one.
  mutating func resume(_ memory: Memory, on chip: ATmega328P) -> Bool {
    guard memory.servos.own == found.servos.own else { return false }
    found.remarks = memory.remarks
    found.servos = memory.servos
    found.begin = chip.cycle
    for number in 0..<Findings.pinCount {
      if let pin = Pin(arduino: number), chip.level(of: pin) { found.highPins.insert(number) }
    }
    timers.starting = memory.starting
    library.twitches = memory.twitches
    tones.resume(memory.tones)
    channels.servos = Set(memory.channels.compactMap { BoardPin(name: $0) })
    return (library.table?.resume(memory.table) ?? true)
      && pulses.resume(memory.pulses) && sender.resume(memory, &found)
  }
}
