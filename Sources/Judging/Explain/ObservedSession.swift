package import Devices
package import Sketches
package import Traces

/// What can be observed without a model: what became of each byte, and which outputs followed.
package struct ObservedSession: Sendable {
  /// The maximum number of outputs that are kept.
  static let outputsMax = 400_000
  /// An effect that comes this long after its byte is late: a byte takes 1 ms at 9600 baud.
  private static let late = Interval.milliseconds(5)
  /// For how many bytes it is looked what the program did meanwhile.
  private static let whysMax = 2_000

  /// A byte, and the outputs from the time it was taken until the next one was taken.
  package struct Byte: Hashable, Sendable {
    package var entry: Ledger.Entry
    package var outputs: [TimedOutput] = []
    /// If it was lost, or its effect came late: what the program did meanwhile, as a sentence
    /// without its full stop. Nil if that is not known.
    package var why: String?

    /// When the byte's effects can begin; nil if the sketch did not take it.
    package var begin: Instant? {
      if let taken = entry.taken { return taken }
      return entry.fate == .arrived ? entry.arrived : nil
    }
  }

  package private(set) var bytes: [Byte]
  /// The fates of the bytes that are not listed, and when the first of them arrived; nil for none.
  package let unlisted: [Fate: Int]
  package let listEnd: Instant?
  /// The outputs before the first byte was taken.
  package private(set) var earlier: [TimedOutput] = []
  /// When the session ends.
  package let end: Instant
  /// How the device observes that bytes are taken.
  package let shownReads: ShownReads
  /// Whether the outputs are those that the trace contains.
  package let isRecorded: Bool
  /// The number of outputs that were left out because there are too many.
  package private(set) var leftOut = 0
  /// Why the device stopped working; nil if it did not.
  package let fault: DeviceError?
  /// The device's remarks about its program.
  package let deviceRemarks: [String]
  /// A sentence about each servo's pin whose pulses were not as stored: see `Device.twitches`.
  package let twitches: [String]
  /// A sentence about each mistake with its memory: see `Device.memoryFaults`.
  package let memoryFaults: [String]

  /// Runs a device through the reader's trace, up to its duration or its last event. Leaves pulses
  /// out. If the device observes no outputs, those of the trace are used.
  package init(_ reader: inout TraceReader, on device: some Device) throws(TraceError) {
    let isRecorded = device.capabilities.observes.isEmpty
    var device = device
    if !isRecorded { device.watch(try reader.levelPins) }
    device.recordRun(wholly: true)
    var simulation = Simulation(
      device, ledger: Ledger(listing: Ledger.listedMax, followsReads: true))
    var outputs: [TimedOutput] = []
    var losses: [(time: Instant, byte: UInt8, fate: Fate)] = []
    var leftOut = 0
    func note(_ seen: TimedOutput) {
      if case .lost(let byte, let why) = seen.output {
        if isRecorded, losses.count < Self.outputsMax {
          losses.append((seen.time, byte, Fate(why)))
        }
      } else if seen.output.kind != .pulse {
        if outputs.count < Self.outputsMax { outputs.append(seen) } else { leftOut += 1 }
      }
    }
    var reasons: [(time: Instant, text: String)] = []
    func advance(to end: Instant) {
      while simulation.step(to: end) {
        for noted in simulation.notes {
          guard case .why(let text) = noted.note, reasons.count < Self.whysMax else { continue }
          reasons.append((noted.time, text))
        }
        for seen in simulation.outputs { note(seen) }
      }
    }
    let end = reader.header.end
    var onTheWay: [(time: Instant, byte: UInt8, fate: Fate)] = []
    while let event = try reader.next() {
      if case .fault(let strike) = event.kind, onTheWay.count < Ledger.listedMax {
        onTheWay += strike.losses(at: event.time)
      }
      guard event.time <= end ?? event.time else { continue }
      if event.isInput {
        advance(to: event.time)
        simulation.feed(event)
      } else if isRecorded, let output = event.output {
        note(TimedOutput(time: event.time, output: output))
      }
    }
    let last = end ?? reader.time
    self.end = last
    advance(to: last + simulation.lag)
    outputs.removeAll { $0.time > last }
    shownReads = simulation.device.shownReads
    fault = simulation.fault
    deviceRemarks = simulation.device.remarks
    twitches = simulation.device.twitches
    memoryFaults = simulation.device.memoryFaults
    self.isRecorded = isRecorded
    self.leftOut = leftOut
    var ledger = simulation.finishLedger()
    ledger.markLost(losses)
    ledger.insert(onTheWay)
    bytes = ledger.entries.map { Byte(entry: $0) }
    unlisted = ledger.listEnd == nil ? [:] : ledger.unlisted
    listEnd = ledger.listEnd
    // Outputs from then on can be effects of bytes that are not listed.
    if let listEnd {
      let count = outputs.count
      outputs.removeAll { $0.time >= listEnd }
      self.leftOut += count - outputs.count
    }
    assign(outputs, baud: reader.header.baud)
    explain(reasons, by: simulation.device)
  }

  /// Adds what the program did while bytes were lost or waited.
  private mutating func explain(_ reasons: [(time: Instant, text: String)], by device: some Device)
  {
    var rest = reasons[...]
    var count = 0
    for index in bytes.indices where count < Self.whysMax {
      let byte = bytes[index]
      let arrived = byte.entry.arrived
      if let begin = byte.begin {
        let effect = max(begin, byte.outputs.first?.time ?? begin)
        let period = begin - arrived >= Self.late ? arrived...begin : begin...effect
        guard period.upperBound - period.lowerBound >= Self.late else { continue }
        count += 1
        bytes[index].why = device.busy(from: period.lowerBound, to: period.upperBound).map {
          "the program was \($0)"
        }
      } else if byte.entry.fate != .waiting {
        // An interrupt drops a byte a little later than it arrives.
        rest = rest.drop { $0.time < arrived }
        if let next = rest.first, next.time - arrived < .milliseconds(1) {
          bytes[index].why = next.text
        }
      }
    }
  }

  /// A byte that waits for less than this at a session's end shows only that the session ended.
  static let waitMax = Interval.milliseconds(500)

  /// Whether a byte had not been taken only because the session ended.
  func isOpen(_ entry: Ledger.Entry) -> Bool {
    entry.fate == .waiting && end - entry.arrived < Self.waitMax
  }

  /// The number of bytes with each fate.
  package var fateCounts: [Fate: Int] {
    var counts = unlisted
    for byte in bytes { counts[byte.entry.fate, default: 0] += 1 }
    return counts
  }

  /// Assigns each output to the last byte taken before it. What the sketch sends without a pause
  /// belongs together: a byte that is taken meanwhile did not cause the rest of it.
  private mutating func assign(_ outputs: [TimedOutput], baud: Int) {
    let taken = bytes.indices.filter { bytes[$0].begin != nil }
    let pause = ByteClock.byteTime(baud: baud) + ByteClock.byteTime(baud: baud)
    var next = 0
    /// The last byte that was sent, and the number of bytes taken before the first of its message.
    var sent: (time: Instant, owner: Int)?
    for seen in outputs {
      while next < taken.count, let begin = bytes[taken[next]].begin, begin <= seen.time {
        next += 1
      }
      var owner = next
      if seen.output.kind == .transmit {
        if let sent, seen.time - sent.time < pause { owner = sent.owner }
        sent = (seen.time, owner)
      }
      if owner == 0 {
        earlier.append(seen)
      } else {
        bytes[taken[owner - 1]].outputs.append(seen)
      }
    }
  }
}

extension ObservedSession {
  /// What a reader must know about the observations, one sentence each. `sketch`: the name in the
  /// trace, if the sketch has no model.
  package func remarks(sketch: String?) -> [String] {
    if isRecorded {
      let name = sketch.map { " \(PlainText.quoted($0))" } ?? ""
      return [
        "No model behaves like the sketch\(name), so what it took is unknown: --device avr:FILE "
          + "runs its program and shows that."
      ]
    }
    switch shownReads {
    case .ring: return []
    case .register:
      guard bytes.contains(where: { $0.entry.fate == .taken }) else { return [] }
      return [
        "A byte counts as taken when the program reads it from the UART: the program does not use "
          + "the receive buffer of Arduino's core."
      ]
    case .none: return ["The program receives on a pin, so what it takes cannot be seen."]
    }
  }
}
