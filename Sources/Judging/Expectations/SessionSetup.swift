package import Devices
package import Sketches
package import Traces

/// What must be known about a session before its rules can be judged.
package struct SessionSetup: Sendable {
  /// The sketch whose model determines what became of the bytes.
  package var firmware: Firmware
  /// The sketch's commands and pins, if they are not those of the firmware. Then no model knows
  /// what became of the bytes. Without commands, the bytes are not interpreted at all.
  package var profile: Profile?
  /// The figures of another build; nil for the measured ones.
  package var timing: Timing?
  /// The board's speed, in bits a second.
  package var baud: Int
  package var start: Header.Start
  /// In a session that a search made up: how long after a start the sketch listens. What the search
  /// sends besides whole commands is then not held against the sketch. Nil in any other session.
  package var listensAfter: Interval?
  /// The commands that the sender broke off, if parts of its session are left out and no other
  /// command is to be broken off. Nil in any other session.
  var brokenOff: Set<[UInt8]>?
  /// The kinds of output that the session shows.
  package var observes: Set<Output.Kind>
  /// Whether the fates are the device's own, because the device is the model.
  package var reportsFates: Bool
  /// The data of the servo whose shaft is modelled.
  package var servo: ServoData
  /// The pin of the servo whose events name none, and whether there can be others.
  package var ownServo = BoardPin.usualServo
  package var hasOtherServos = false
  /// The pulses of 0 and 180 degrees of all servos; nil if that is not stated.
  package var servoRange: ServoRange?
  /// What a camera on the turret sees; nil if there is no such camera.
  package var view: CameraView?
  /// Whether the pulses of a servo are compared with what the sketch stored.
  package var showsTwitches = true
  /// Whether it is recorded how the program runs, and whether that shows where its `loop` is.
  package internal(set) var isRecorded = true
  package internal(set) var findsLoop = true
  /// The same for the end of the static variables.
  package internal(set) var findsVariables = true
  /// The pins whose levels the session shows from its start on, if it shows levels at all: those
  /// that were selected, and those that rules or the profile name.
  package var pins = PinSelection.all
  package var namedPins: Set<BoardPin> = []

  package init(
    firmware: Firmware, profile: Profile? = nil, timing: Timing? = nil,
    baud: Int = SerialLine.usualBaud, start: Header.Start = .reset,
    observes: Set<Output.Kind> = Set(Output.Kind.allCases), reportsFates: Bool = true,
    servo: ServoData = .sg90
  ) {
    self.firmware = firmware
    self.profile = profile
    self.timing = timing
    self.baud = baud
    self.start = start
    self.observes = observes
    self.reportsFates = reportsFates
    self.servo = servo
  }

  /// Creates the setup of a session on a device. `kinds` are the kinds of output that the session
  /// shows; nil for all that the device shows.
  package init(
    firmware: Firmware, profile: Profile? = nil, timing: Timing?, baud: Int,
    on device: DeviceCapabilities, showing kinds: Set<Output.Kind>? = nil, servo: ServoData = .sg90
  ) {
    self.init(
      firmware: firmware, profile: profile, timing: timing, baud: baud, start: device.start,
      observes: kinds ?? device.observes, reportsFates: device.reportsFates, servo: servo)
    ownServo = device.ownServo
    hasOtherServos = device.hasOtherServos
    showsTwitches = device.showsTwitches
    isRecorded = false
  }

  /// Whether a search made up the session.
  var isMadeUp: Bool { listensAfter != nil }

  /// The name of a sketch whose commands are not known, so that its bytes are not interpreted; nil
  /// for any other.
  package var undescribedSketch: String? {
    profile.flatMap { $0.hasCommands ? nil : $0.name }
  }

  /// Returns the pin that a rule names, by its name in the profile or as on the board; nil if the
  /// board has no such pin.
  package func pin(named name: String) -> BoardPin? {
    (profile?.pin(named: name) ?? BoardPin(name: name)).flatMap { $0.arduino == nil ? nil : $0 }
  }

  /// The pins whose levels the session certainly shows from its start on.
  package var shownPins: Set<BoardPin> {
    guard case .some(let selected) = pins else { return namedPins }
    return selected.union(namedPins)
  }

  /// Returns the pins that rules are about, if the board has them.
  package func pins(of rules: [Rule]) -> Set<BoardPin> {
    Set(rules.flatMap { $0.pinNames }.compactMap { pin(named: $0) })
  }

  /// Watches the pins of these names, and those that the profile names if `all` is true. The device
  /// reports those of `selected` already.
  package mutating func watch(
    _ names: Set<String>, profile all: Bool, besides selected: PinSelection,
    on device: inout some Device
  ) {
    pins = selected
    namedPins = Set(names.compactMap { pin(named: $0) })
    if all, let profile {
      namedPins.formUnion(profile.pins.map { $0.pin }.filter { $0.arduino != nil })
    }
    device.watch(.some(namedPins))
  }

  /// Returns the pin of the servo that a rule names, by its name in the profile or by its pin; nil
  /// if the device cannot have such a servo.
  func pin(ofServo name: String?) -> BoardPin? {
    guard let name else { return ownServo }
    guard let pin = profile?.pin(named: name) ?? BoardPin(name: name) else { return nil }
    return pin == ownServo || hasOtherServos ? pin : nil
  }
}
