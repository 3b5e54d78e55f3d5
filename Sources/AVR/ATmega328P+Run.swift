extension ATmega328P {
  /// Runs without looking for a stuck program.
  mutating func proceed(until target: UInt64) {
    while core.cycle < target && core.fault == nil {
      if peripherals.nextEvent <= core.cycle { peripherals.advance(to: core.cycle) }
      if let cause = peripherals.takePendingReset() {
        reset(cause)
        continue
      }
      let canInterrupt = core.sreg & StatusRegister.I != 0 && peripherals.isInterruptPending
      if core.isAsleep {
        if canInterrupt {
          // "Sleep Modes": waking takes four cycles in addition to the interrupt's own.
          core.isAsleep = false
          peripherals.wake(at: core.cycle)
          core.cycle += 4
        } else {
          checkSleep()
          sleep(until: min(target, max(core.cycle + 1, peripherals.nextEvent)))
        }
      } else if canInterrupt && core.cycle >= core.interruptsFrom {
        enterInterrupt()
      } else if core.reception != nil {
        followReceivedByte()
      } else {
        if skipsWaiting { skipWaiting(until: min(target, peripherals.nextEvent)) }
        execute(until: target)
        if let operation = core.flashOperation {
          core.flashOperation = nil
          flash.apply(operation)
        }
      }
    }
    // Handles events that became due during an instruction that ran past the target.
    if peripherals.nextEvent < target, core.fault == nil { peripherals.advance(to: target - 1) }
  }

  /// Sleeps until a cycle before which no event is due.
  private mutating func sleep(until cycle: UInt64) {
    if skipsWaiting {
      core.cycle = cycle
    } else {
      while core.cycle < cycle, !peripherals.isInterruptPending { core.cycle += 1 }
    }
  }

  private mutating func enterInterrupt() {
    guard let vector = peripherals.pendingVector() else { return }
    let base = peripherals.vectorsInBootSection ? bootSection : 0
    data.withUnsafeMutableBufferPointer { data in
      core.interrupt(data.baseAddress!, to: base + Int(vector) * 2)
    }
    guard core.fault == nil else { return }
    peripherals.acknowledge(vector, at: core.cycle)
    core.isReceiving = vector == Self.receiveVector
  }

  /// The vector number of USART_RX.
  private static var receiveVector: UInt8 { 18 }

  /// Executes one instruction of the receive interrupt and tracks what happens to the byte.
  private mutating func followReceivedByte() {
    guard var reception = core.reception else { return }
    core.reception = nil
    let isOver = flash.plain(at: core.pc).operation == .reti
    let isKept = reception.follow(flash.plain(at: core.pc))
    step()
    if isOver {
      peripherals.events.append(
        TimedChipEvent(cycle: core.cycle, event: .dropped(reception.byte)))
    } else if !isKept && core.reception == nil {
      core.reception = reception
    }
  }

  private mutating func step() { execute(until: core.cycle + 1) }

  private mutating func execute(until target: UInt64) {
    withInterpreter { interpreter, core, peripherals in
      interpreter.run(&core, &peripherals, until: target)
    }
  }

  @inline(__always)
  mutating func withInterpreter(
    _ body: (Interpreter, inout Core, inout Peripherals) -> Void
  ) {
    data.withUnsafeMutableBufferPointer { data in
      access.withUnsafeBufferPointer { access in
        flash.withCode { code, plain, words in
          let interpreter = Interpreter(
            code: code, plain: plain, words: words, data: data.baseAddress!,
            access: access.baseAddress!)
          body(interpreter, &core, &peripherals)
        }
      }
    }
  }
}
