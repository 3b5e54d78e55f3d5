package import Sketches
package import Traces

/// The receiver at the end of the serial line. Takes bytes and produces outputs, each at an
/// instant.
///
/// Calls are made in order of time. Advancing in two steps is the same as in one. In virtual time,
/// `advance` returns at once, with all outputs up to its end. In real time it waits for its end,
/// and outputs of the last `capabilities.lag` follow with a later call. Either way, outputs are in
/// order of time.
package protocol Device: Sendable {
  var capabilities: DeviceCapabilities { get }
  /// When the device next does something if nothing more is sent; nil if never.
  var nextDeadline: Instant? { get }
  /// Whether it can take longer to advance than the time by which it advances, so that it is
  /// advanced in slices where others wait for it.
  var canBeSlow: Bool { get }
  /// The number of bytes sent that have not arrived yet.
  var onTheWayCount: Int { get }
  /// What the sketch is doing; nil if that cannot be known.
  var activity: Activity? { get }
  /// The number of bytes waiting in the ring; nil if that cannot be known.
  var waitingCount: Int? { get }
  /// How much it reveals about a program's reads of received bytes.
  var shownReads: ShownReads { get }
  /// Why the device no longer works; nil while it does. After a fault it produces no output and has
  /// no deadline.
  var fault: DeviceError? { get }
  /// Remarks about the program that runs on it, once each, in the order in which they were noticed.
  var remarks: [String] { get }
  /// A sentence, without its full stop, about each servo's pin whose pulses were not as the sketch
  /// had stored. The remarks have them too.
  var twitches: [String] { get }

  /// A sentence, without its full stop, about each mistake that the program has made with its
  /// memory since `recordRun`. The remarks have them too.
  var memoryFaults: [String] { get }

  /// Sends bytes, starting at `instant` or when the line becomes free.
  mutating func send(_ bytes: [UInt8], at instant: Instant)
  /// Sets the sender's speed, in bits a second, for bytes sent from now on.
  mutating func setSenderBaud(_ baud: Int)
  /// Sets the sender's format for bytes sent from now on.
  mutating func setSenderFormat(_ format: LineFormat)
  /// Holds the line low for `length`, starting at `instant` or when the line becomes free. If the
  /// last break is not over, it only ends at another time: `length` after `instant`.
  mutating func sendBreak(lasting length: Interval, at instant: Instant)
  /// Makes the stop bit low of the next byte on its way with this value.
  mutating func addFramingError(to byte: UInt8)
  /// Applies a level or a voltage to a pin, or tells a part something, from `instant` on, to which
  /// the device has advanced. Ignored if `capabilities.refusal(of:)` gives a reason.
  mutating func set(_ input: BoardInput, at instant: Instant)
  /// Restarts the board. The bootloader owns the line for `deadTime`.
  mutating func reset(at instant: Instant, deadTime: Interval, into recorder: inout Recorder)
  /// Does everything due up to and including `end`.
  mutating func advance(to end: Instant, into recorder: inout Recorder)
  /// Reports the levels of these pins as outputs from now on, as well as those of earlier calls. A
  /// device that does not observe `pin` ignores it.
  mutating func watch(_ pins: PinSelection)
  /// Follows which way the program takes from now on, for `forEachBranch`. That takes time.
  mutating func followBranches()
  /// Calls `body` for each way that the program took since then, by a number. A device without a
  /// program takes none.
  func forEachBranch(_ body: (UInt32) -> Void)
  /// Records from now on how the program runs, for `RunNote`, the causes of twitches and `busy`.
  /// That takes time, and changes no output. `wholly`: whether `busy` can be asked about the whole
  /// session, and not only about its last seconds.
  mutating func recordRun(wholly: Bool)
  /// Returns where the program was for most of a period, without a full stop: `in delay in sweep
  /// (turret.ino:88)`, or `asleep`. Nil if that is not known, or if the run is not recorded.
  func busy(from begin: Instant, to end: Instant) -> String?
  /// How deep the stack was since `recordRun`; nil if the run is not recorded.
  var stackUse: StackUse? { get }
  /// The number of received bytes that the program has not taken, as far as its memory shows it,
  /// even if it cannot be certain.
  var unreadCount: Int { get }
  /// Removes and returns the bytes still on the line, each with the end of its stop bit.
  mutating func takeUndelivered() -> [(byte: UInt8, end: Instant)]
}

extension Device {
  package var canBeSlow: Bool { false }
  package var activity: Activity? { nil }
  package var waitingCount: Int? { nil }
  package var shownReads: ShownReads { .none }
  package var fault: DeviceError? { nil }
  package var remarks: [String] { [] }
  package var twitches: [String] { [] }
  package var memoryFaults: [String] { [] }
  package mutating func set(_ input: BoardInput, at instant: Instant) {}
  package mutating func watch(_ pins: PinSelection) {}
  package mutating func followBranches() {}
  package func forEachBranch(_ body: (UInt32) -> Void) {}
  package mutating func recordRun(wholly: Bool) {}
  package func busy(from begin: Instant, to end: Instant) -> String? { nil }
  package var stackUse: StackUse? { nil }
  package var unreadCount: Int { waitingCount ?? 0 }
}

// The Swift model of a sketch on a board, in virtual time. It has these functions already.
extension Model: Device {
  /// A model has no pins of its own.
  static let observes = Set(Output.Kind.allCases).subtracting([.pin, .attached, .detached])

  package var capabilities: DeviceCapabilities {
    .virtual(observing: Self.observes, reportsFates: true)
  }
}

/// What a device can do. Constant while the device exists, so that no caller needs to know which
/// device it has.
package struct DeviceCapabilities: Hashable, Sendable {
  package var observes: Set<Output.Kind>
  /// Whether it reports the fate of each byte that its sketch took.
  package var reportsFates: Bool
  /// Whether it can record the level of each wire, and not only its outputs.
  package var showsWires = false
  /// Whether levels and voltages can be applied to its pins.
  package var takesInputs = false
  /// The parts that are wired to it, each with what it can be told; nil if it takes any.
  package var parts: [BoardPart: PartInput]? = [:]
  /// The pin of the servo whose events name none.
  package var ownServo = BoardPin.usualServo
  /// The pins whose levels were requested one by one.
  package var selectedPins: Set<BoardPin> = []
  /// Whether it compares the pulses on a servo's pin with what the sketch stored.
  package var showsTwitches = false
  /// Whether it can record how its program runs.
  package var recordsRuns = false
  /// Whether it does, and knows where the sketch's `loop` is.
  package var findsLoop = false
  /// Whether its program's file says where the static variables end, and so what is below the
  /// stack.
  package var findsVariables = false
  /// Whether it can have other servos, whose events name their pins.
  package var hasOtherServos = false
  /// Whether a copy of it is a snapshot from which a session can continue.
  package var canRewind: Bool
  /// The clock that stamps its outputs: `device` in virtual time, `host` in real time.
  package var clock: Header.Clock
  /// How a session on it begins: `unknown` if the board cannot be restarted.
  package var start: Header.Start
  /// How long after an instant its outputs can still appear.
  package var lag: Interval

  /// Why the device cannot take an input, and what to do; nil if it can.
  package func refusal(of input: BoardInput) -> String? {
    guard takesInputs else {
      return "\(input.target) can be set only on the emulated chip: use --device avr:FILE"
    }
    return parts.flatMap { input.refusal(by: $0) }
  }

  package static func virtual(
    observing observes: Set<Output.Kind>, reportsFates: Bool, lag: Interval = .zero
  ) -> DeviceCapabilities {
    DeviceCapabilities(
      observes: observes, reportsFates: reportsFates, canRewind: true, clock: .device,
      start: .reset, lag: lag)
  }

  /// The capabilities of a device in real time, whose outputs the computer stamps.
  package static func realTime(
    observing observes: Set<Output.Kind>, start: Header.Start, lag: Interval
  ) -> DeviceCapabilities {
    DeviceCapabilities(
      observes: observes, reportsFates: false, canRewind: false, clock: .host, start: start,
      lag: lag)
  }
}

package struct PartInput: Hashable, Sendable {
  /// The quantity with its unit and its range.
  package var noun: String
  /// In millionths of the unit; empty if it takes no value.
  package var range: Range<Int64>

  package init(noun: String, range: Range<Int64>) {
    self.noun = noun
    self.range = range
  }
}

extension BoardInput {
  /// Returns why these parts cannot be told the input, and what to do; nil if one can, or if it is
  /// a pin's.
  package func refusal(by parts: [BoardPart: PartInput]) -> String? {
    guard case .part(let part, let value) = self else { return nil }
    guard let told = parts[part] else {
      return "no \(part.name) is attached: use --attach \(part.name)"
    }
    if told.range.isEmpty { return "\(part.name) takes no value" }
    return told.range.contains(value) ? nil : "expected \(told.noun) for \(part.name)"
  }
}

/// How much a device reveals about how its program takes received bytes.
package enum ShownReads: Hashable, Sendable {
  case none
  /// When the program reads a byte from the UART's data register. An interrupt can do that long
  /// before the program uses the byte.
  case register
  /// When the program takes a byte from the ring into which its interrupt puts them.
  case ring
}

/// Why a device does not exist or no longer works.
package struct DeviceError: Error, Hashable, Sendable, CustomStringConvertible {
  package enum Code: Hashable, Sendable {
    /// The device is missing, or is not the expected one.
    case unavailable
    /// The device has disappeared. It may return.
    case gone
    case inputOutput
    /// The session uses something that the device does not have.
    case unsuitable
    /// Its program crashed and cannot continue.
    case crashed
  }

  package var code: Code
  /// A sentence the user can act on, with the device's name.
  package var description: String

  package init(_ code: Code, _ description: String) {
    self.code = code
    self.description = description
  }
}
