import Aim
import Devices
import Network
import Platform
import Sketches
import SystemPackage
import Traces
import TurretLink

/// Aims in real time by carrying out the decisions of `AimLife`. Created before the loop begins;
/// from then on used only on the loop's thread.
final class AimSession {
  private var reader: ObservationReader
  private var aimer: Aimer
  private(set) var tally: AimTally
  private(set) var life: AimLife
  private var inbox = Inbox<AimLife.Event>()
  private let display: AimDisplay
  private var loop: SendingLoop?
  /// Open, but not read by the loop yet.
  private var pipe: FileDescriptor?
  /// The error in the observations; nil if there is none.
  private(set) var failure: TraceError?
  /// The gateway's last error, as text; nil if there was none.
  private(set) var refusal: String?

  init(
    _ reader: consuming ObservationReader, _ aimer: Aimer, rate: Double?, _ display: AimDisplay
  ) {
    life = AimLife(isRecorded: reader.isRecorded, aimer.options, rate: rate)
    tally = AimTally(aimer.options)
    self.reader = reader
    self.aimer = aimer
    self.display = display
  }

  private func handle(_ event: AimLife.Event) {
    guard inbox.put(event) else { return }
    while let event = inbox.next() {
      for action in life.handle(event, at: .uptime) { carryOut(action) }
    }
  }

  private func carryOut(_ action: AimLife.Action) {
    switch action {
    case .lookForAudience: handle(.audience(audience))
    case .openPipe: openPipe()
    case .listen:
      if let pipe = pipe.take() { loop?.read(pipe.rawValue) { [self] in arrived($0) } }
    case .closePipe: try? pipe.take()?.close()
    case .read: read()
    case .send(let command):
      loop?.sender?.send(LinkCommand(command))
    case .set(let alarm, let time): loop?.schedule(in: time) { [self] _ in handle(.due(alarm)) }
    case .stop: loop.take()?.stop()
    }
  }

  private var audience: AimLife.Audience {
    display.hasTarget
      ? .target(wasThere: display.hasConnected)
      : .clients(hasAsked: loop?.wasAsked == true)
  }

  private func openPipe() {
    do throws(TraceError) {
      pipe = try reader.openAgain()
      handle(.opened(isAtEnd: pipe == nil))
    } catch {
      fail(error)
    }
  }

  private func arrived(_ bytes: [UInt8]) {
    guard !life.isOver else { return }
    do throws(TraceError) {
      try reader.append(bytes)
      handle(.arrived(isEnd: bytes.isEmpty))
    } catch {
      fail(error)
    }
  }

  private func read() {
    do throws(TraceError) {
      let frame =
        if reader.isRecorded {
          try reader.next(until: life.time(at: .uptime))
        } else {
          reader.hasNext ? try reader.next() : nil
        }
      guard let frame else { return handle(.sawNothing(next: reader.heldTime)) }
      let sighting = aimer.sight(frame)
      if let note = tally.take(frame, sighting) { display.report("note: \(note)") }
      display.show(sighting: sighting.status)
      loop?.answer(
        angle: offCentre(sighting), distance: sighting.distance, time: reader.time - .zero)
      handle(.saw(sighting.wanted, sighting.place))
    } catch {
      fail(error)
    }
  }

  private func fail(_ error: TraceError) {
    failure = error
    handle(.fault)
  }

  /// Returns the angle that the robot vision phone answers: the true one or, with the linear
  /// mapping, the one by which the turret is aimed. `mirror` does not affect it.
  private func offCentre(_ sighting: Sighting) -> Double? {
    switch aimer.options.mapping {
    case .fov: sighting.offCentre
    case .linear: sighting.angles.map { Double(aimer.options.mirror ? 90 - $0.x : $0.x - 90) }
    }
  }
}

extension AimSession: SendingOwner {
  func begin(_ loop: SendingLoop) {
    self.loop = loop
    handle(.begin)
  }

  func changed(_ state: SenderState) { display.show(state: state) }

  func received(_ message: GatewayMessage) {
    let text = PlainText.of("\(message.code): \(message.message)")
    if message.isError { refusal = text }
    display.report(text)
  }

  func serves(at addresses: [Endpoint]) {
    for address in addresses { display.report("the vision phone is at \(address)") }
    display.report(VisionServer.accessNote)
  }

  func refused(_ sentence: String) { display.report(sentence) }

  func shutDown() { handle(.shutDown) }
}
