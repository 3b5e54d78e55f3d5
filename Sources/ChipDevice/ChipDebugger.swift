package import AVR
package import Devices
package import Sketches
import Traces

/// Looks into a program at a moment of a session.
package struct ChipDebugger: Sendable {
  /// What was found at a moment.
  package struct Report: Sendable {
    package fileprivate(set) var time: Instant
    /// What the moment is: "byte 17, `X`, arrived"
    package fileprivate(set) var moment: String
    package fileprivate(set) var stack: CallStack
    /// The last lines of the source that ran, each once, in the order in which they last ran.
    package fileprivate(set) var lines: [RanLine]
    /// Why the chip had stopped by then; nil if it had not.
    package fileprivate(set) var fault: DeviceError?
    package fileprivate(set) var isAsleep: Bool
  }

  package struct RanLine: Hashable, Sendable {
    package var place: SourcePlace
    /// How long before the moment it last ran.
    package var ago: Interval
    /// How often it was entered, as far as was looked back.
    package var count: Int
  }

  private static let linesMax = 10
  /// How far is looked back for lines: further each time, while there are not enough.
  private static let periods: [Interval] = [
    .milliseconds(1), .milliseconds(10), .milliseconds(100),
  ]
  private static let slice = Interval.milliseconds(500)

  private let moments: SessionMoments
  private let map: SourceMap

  /// - Parameter map: what is known of the program's source.
  package init(_ moments: SessionMoments, _ map: SourceMap) {
    self.moments = moments
    self.map = map
  }

  package func report(at moment: DebugMoment) throws(NoSuchMoment) -> Report {
    var moments = moments
    let (time, text) = try moments.find(moment)
    var run = Run(moments.makeDevice(showsPulses: false), inputs: moments.inputs)
    run.record(true)
    // The device is a value: copies of it are run again, one instruction at a time.
    var copies = [run]
    for period in Self.periods.reversed() where time - .zero > period {
      run.advance(to: time - period)
      copies.append(run)
    }
    // The whole session is only short enough if it has no earlier copy.
    if copies.count > Self.periods.count { copies.removeFirst() }
    run.advance(to: time)
    var lines: [RanLine] = []
    for copy in copies.reversed() where lines.count < Self.linesMax {
      lines = self.lines(from: copy, to: run.device)
    }
    return Report(
      time: time, moment: text, stack: CallStack(of: run.device.chip, map),
      lines: lines, fault: run.device.fault, isAsleep: run.device.chip.isAsleep)
  }

  // MARK: Lines

  /// A device on its way through the session.
  private struct Run {
    private(set) var device: AVRDevice
    private let inputs: [Event]
    private var next = 0
    private var recorder = Recorder()

    init(_ device: AVRDevice, inputs: [Event]) {
      self.device = device
      self.inputs = inputs
    }

    /// Records the calls from now on, or no longer.
    mutating func record(_ isOn: Bool) {
      if isOn {
        device.chip.recordRun(loop: [], isLoopCalled: false, wholly: false)
      } else {
        device.chip.stopRecording()
      }
    }

    mutating func advance(to end: Instant) {
      while next < inputs.count, inputs[next].time <= end {
        pass(to: inputs[next].time)
        device.take(inputs[next], into: &recorder)
        next += 1
      }
      pass(to: end)
    }

    private mutating func pass(to end: Instant) {
      while device.now + ChipDebugger.slice < end {
        device.advance(to: device.now + ChipDebugger.slice, into: &recorder)
        recorder.drain()
      }
      device.advance(to: end, into: &recorder)
      recorder.drain()
    }

    /// Executes one instruction, or lets a cycle of sleep pass.
    mutating func step() {
      // Just before the next cycle, so that only the instruction that begins with it is executed.
      advance(to: max(device.now, device.clock.instant(of: device.chip.cycle) - .nanoseconds(1)))
    }
  }

  private func lines(from copy: Run, to device: AVRDevice) -> [RanLine] {
    var run = copy
    run.record(false)
    var places: [UInt16: SourcePlace?] = [:]
    /// Each line with the cycle at which it was last run, and how often it was entered.
    var ran: [SourcePlace: (cycle: UInt64, count: Int)] = [:]
    var last: SourcePlace?
    while run.device.chip.cycle < device.chip.cycle, run.device.chip.fault == nil {
      let (pc, cycle) = (run.device.chip.programCounter, run.device.chip.cycle)
      let isAsleep = run.device.chip.isAsleep
      run.step()
      guard run.device.chip.cycle > cycle else { break }
      if isAsleep { continue }
      if places[pc] == nil { places.updateValue(map.places(at: UInt32(pc)).first, forKey: pc) }
      guard let found = places[pc], let place = found, place.line > 0 else { continue }
      let before = ran[place]?.count ?? 0
      ran[place] = (cycle, place == last ? before : before + 1)
      last = place
    }
    let moment = device.chip.cycle
    let sorted = ran.sorted { $0.value.cycle < $1.value.cycle }.suffix(Self.linesMax)
    return sorted.map { place, value in
      let ago = device.clock.instant(of: moment) - device.clock.instant(of: value.cycle)
      return RanLine(place: place, ago: ago, count: value.count)
    }
  }
}
