import AVR
import Devices
import Sketches
import Traces

@testable import ChipDevice

/// A session by brute force: each of its moments in a list.
struct PlainTimeline {
  struct Moment {
    var cycle: UInt64
    var next: ATmega328P.NextAction
    var pc: UInt16
    var stack: UInt16
    var accesses: [DataAccess]
    /// What the interrupts have interrupted that have not returned.
    var frames: [(pc: UInt16, stack: UInt16)]
  }

  let source: AVRSource
  let header: Header
  let inputs: [Event]
  let end: Instant
  private(set) var moments: [Moment] = []

  init(_ source: AVRSource, inputs: [Event], end: Instant) {
    self.source = source
    self.inputs = inputs
    self.end = end
    header = Header(firmware: .guarded, duration: nil, title: nil)
    let script = TimelineScript(inputs: inputs, end: end)
    var run = TimelineRun(device)
    run.advance(to: run.cycle, script)
    var frames: [(pc: UInt16, stack: UInt16)] = []
    while true {
      let chip = run.device.chip
      moments.append(
        Moment(
          cycle: run.cycle, next: chip.nextAction, pc: chip.programCounter,
          stack: chip.stackPointer, accesses: chip.nextAccesses, frames: frames))
      if run.isAtEnd(of: script) { return }
      run.step(script)
      let after = run.device.chip
      switch chip.nextAction {
      case .interrupt: frames.append((chip.programCounter, chip.stackPointer))
      case .instruction
      where chip.bytes(ofFlash: chip.programCounter..<chip.programCounter + 2)
        == [0x18, 0x95]:
        while let frame = frames.last, frame.stack <= after.stackPointer { frames.removeLast() }
      default: break
      }
    }
  }

  private var device: AVRDevice {
    source.makeDevice(for: header, firmware: .guarded, showsPulses: false)
  }

  func timeline(memoryMax: Int) -> ChipTimeline {
    ChipTimeline(source, header, inputs: inputs, end: end, memoryMax: memoryMax)
  }

  /// The board before the instruction at a cycle, run there at once.
  func device(at cycle: UInt64) -> AVRDevice {
    var device = device
    var recorder = Recorder()
    let time = min(end, device.clock.lastInstant(before: cycle))
    for input in inputs where input.time <= time {
      device.advance(to: input.time, into: &recorder)
      device.take(input, into: &recorder)
    }
    if time >= .zero { device.advance(to: time, into: &recorder) }
    device.chip.settle()
    return device
  }

  // MARK: What a timeline does

  struct Wanted {
    var breakpoints: Set<UInt16> = []
    var watchpoints: [ChipTimeline.Watchpoint] = []
    var stepsInto = false
  }

  /// The index of a position, and why it is there.
  typealias Outcome = (index: Int, stop: ChipTimeline.Stop)

  func resume(_ how: ChipTimeline.Resume, from index: Int, _ wanted: Wanted) -> Outcome {
    switch how {
    case .run: return forward(from: index, wanted, nil)
    case .step: return forward(from: index, wanted, 0..<0)
    case .range(let range):
      return forward(
        from: index, wanted, range.contains(UInt32(moments[index].pc)) ? range : 0..<0)
    case .runBack: return back(from: index, wanted, isStep: false)
    case .stepBack: return back(from: index, wanted, isStep: true)
    case .backToWrite(let range):
      let write = Wanted(watchpoints: [.init(.write, range)])
      return back(from: index, write, isStep: false)
    case .to(let cycle):
      guard let found = moments.firstIndex(where: { $0.cycle >= cycle }) else {
        return (moments.count - 1, .end)
      }
      return (found, .step)
    }
  }

  private func forward(from start: Int, _ wanted: Wanted, _ range: Range<UInt32>?) -> Outcome {
    let depth = moments[start].frames.count
    var hasBegun = moments[start].next == .sleep
    for index in start..<moments.count - 1 {
      let moment = moments[index]
      switch moment.next {
      case .interrupt: if wanted.stepsInto { hasBegun = true }
      case .sleep, .nothing: break
      case .instruction:
        var isOwn = false
        if let range {
          let isOver =
            wanted.stepsInto || moment.frames.count <= depth
            || moment.frames[depth].pc == moment.pc && moment.frames[depth].stack <= moment.stack
          if isOver {
            isOwn = !hasBegun
            if hasBegun, wanted.stepsInto || !range.contains(UInt32(moment.pc)) {
              return (index, .step)
            }
            hasBegun = true
          }
        }
        if index > start, !isOwn, wanted.breakpoints.contains(moment.pc) {
          return (index, .breakpoint)
        }
      }
      if let stop = watch(moment, wanted) { return (index + 1, stop) }
    }
    return (moments.count - 1, moments[moments.count - 1].next == .nothing ? .fault : .end)
  }

  private func watch(_ moment: Moment, _ wanted: Wanted) -> ChipTimeline.Stop? {
    for watchpoint in wanted.watchpoints {
      for access in moment.accesses where watchpoint.range.contains(access.address) {
        let isSeen =
          switch watchpoint.kind {
          case .write: access.isWrite
          case .read: !access.isWrite
          case .access: true
          }
        if isSeen { return .watch(watchpoint, address: access.address) }
      }
    }
    return nil
  }

  private func back(from start: Int, _ wanted: Wanted, isStep: Bool) -> Outcome {
    var depth = moments[start].frames.count
    for index in (0..<start).reversed() {
      let moment = moments[index]
      let isBreakpoint = moment.next == .instruction && wanted.breakpoints.contains(moment.pc)
      let stop = watch(moment, wanted) ?? (isBreakpoint ? .breakpoint : nil)
      // An interrupt that has begun later has not returned.
      if isStep, moment.next == .instruction, wanted.stepsInto || moment.frames.count <= depth {
        return (index, .step)
      }
      depth = min(depth, moment.frames.count)
      if let stop { return (index, stop) }
    }
    return (0, .begin)
  }
}
