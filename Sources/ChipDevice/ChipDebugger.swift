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
    let script = TimelineScript(inputs: moments.inputs, end: time)
    var run = TimelineRun(moments.makeDevice(showsPulses: false))
    run.recordCalls()
    // The board is a value: copies of it are run again, one instruction at a time.
    var copies = [run]
    for period in RanLine.periods.reversed() where time - .zero > period {
      run.advance(to: time - period, script)
      copies.append(run)
    }
    // The whole session is only short enough if it has no earlier copy.
    if copies.count > RanLine.periods.count { copies.removeFirst() }
    run.advance(to: time, script)
    return Report(
      time: time, moment: text, stack: CallStack(of: run.device.chip, map),
      lines: RanLine.last(before: run, from: copies, script, map), fault: run.device.fault,
      isAsleep: run.device.chip.isAsleep)
  }
}

/// A line of the source that ran before a moment.
package struct RanLine: Hashable, Sendable {
  package var place: SourcePlace
  /// How long before the moment it last ran.
  package var ago: Interval
  /// How often it was entered, as far as was looked back.
  package var count: Int

  /// How far is looked back for lines: further each time, while there are not enough.
  static let periods: [Interval] = [.milliseconds(1), .milliseconds(10), .milliseconds(100)]
  private static let countMax = 10

  /// The last lines before the position of a run, each once, in the order in which they last ran.
  ///
  /// - Parameter copies: the same run at earlier positions, the earliest first.
  static func last(
    before run: TimelineRun, from copies: [TimelineRun], _ script: TimelineScript, _ map: SourceMap
  ) -> [RanLine] {
    var lines: [RanLine] = []
    for copy in copies.reversed() where lines.count < countMax {
      lines = all(from: copy, to: run, script, map).suffix(countMax)
    }
    return lines
  }

  private static func all(
    from copy: TimelineRun, to end: TimelineRun, _ script: TimelineScript, _ map: SourceMap
  ) -> [RanLine] {
    var run = copy
    run.stopRecording()
    var places: [UInt16: SourcePlace?] = [:]
    /// Each line with the cycle at which it was last run, and how often it was entered.
    var ran: [SourcePlace: (cycle: UInt64, count: Int)] = [:]
    var last: SourcePlace?
    while run.cycle < end.cycle, run.device.chip.fault == nil {
      let (pc, cycle) = (run.device.chip.programCounter, run.cycle)
      let isAsleep = run.device.chip.isAsleep
      run.step(script)
      guard run.cycle > cycle else { break }
      if isAsleep { continue }
      if places[pc] == nil { places.updateValue(map.places(at: UInt32(pc)).first, forKey: pc) }
      guard let found = places[pc], let place = found, place.line > 0 else { continue }
      let before = ran[place]?.count ?? 0
      ran[place] = (cycle, place == last ? before : before + 1)
      last = place
    }
    let clock = end.device.clock
    return ran.sorted { $0.value.cycle < $1.value.cycle }.map { place, value in
      let ago = clock.instant(of: end.cycle) - clock.instant(of: value.cycle)
      return RanLine(place: place, ago: ago, count: value.count)
    }
  }
}
