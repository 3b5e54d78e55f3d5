import Devices
import Traces
import Turret

/// A waiting board on which bytes can be tried. Each try runs a copy of it.
struct SketchTrial<D: Device>: Sendable {
  /// How long a sketch can take to react.
  static var window: Interval { .milliseconds(400) }

  private var device: D
  private(set) var now: Instant
  /// The sender's speed, in bits a second.
  private let baud: Int
  /// What the sketch does within the window if nothing is sent.
  private(set) var silence = TrialEffect()

  /// The device is at `now`, and nothing is on its line.
  init(_ device: D, at now: Instant, baud: Int) {
    self.device = device
    self.now = now
    self.baud = baud
    silence = effect(of: [])
  }

  /// Returns what the sketch does within the window after these bytes.
  func effect(of bytes: [UInt8]) -> TrialEffect { TrialEffect(outcome(of: bytes).outputs) }

  /// Returns the board after these bytes and a time to react, at least the window, and what the
  /// sketch did.
  func after(
    _ bytes: [UInt8], waiting time: Interval = .zero
  ) -> (trial: SketchTrial, outputs: [Output]) {
    let (device, end, outputs) = outcome(of: bytes, waiting: max(time, Self.window))
    return (SketchTrial(device, at: end, baud: baud), outputs)
  }

  /// Returns the board after a level or a voltage was applied to a pin.
  func after(_ input: BoardInput) -> SketchTrial {
    var device = device
    device.set(input, at: now)
    return SketchTrial(device, at: now, baud: baud).after([]).trial
  }

  private func outcome(
    of bytes: [UInt8], waiting time: Interval = window
  ) -> (device: D, end: Instant, outputs: [Output]) {
    var simulation = Simulation(device, at: now)
    var end = now + time
    if !bytes.isEmpty {
      simulation.feed(Event(now, .receive(bytes)))
      let byte = ByteClock.byteTime(baud: baud).nanoseconds
      end += Interval(nanoseconds: byte * Int64(bytes.count))
    }
    var outputs: [Output] = []
    while simulation.step(to: end) { outputs += simulation.outputs.map { $0.output } }
    return (simulation.device, end, outputs)
  }
}
