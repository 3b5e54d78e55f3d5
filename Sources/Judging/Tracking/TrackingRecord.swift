package import Sketches
package import Traces

/// The ways of a face and of the turret's shafts in a session, from its `x-truth` and `x-shaft`
/// events, and how well the ones follow the other. The events of the shaft that tilts name its pin.
package struct TrackingRecord: Hashable, Sendable {
  private let view: CameraView?
  private var pan: TrackingAxis
  /// Nil until an event names a pin.
  private var tilt: TrackingAxis?
  /// The greater of the errors of both, as far as they have been compared, and those of one that
  /// the other has not reached.
  private var errors = TrackingFigures.Errors()
  private var panErrors: [TrackingFigures.Error] = []
  private var tiltErrors: [TrackingFigures.Error] = []

  /// - Parameter view: what a camera on the turret sees; nil if there is no such camera.
  package init(view: CameraView? = nil) {
    self.view = view
    pan = TrackingAxis(view: view?.pan)
  }

  package mutating func take(_ event: Event) {
    if case .shaft(_, let pin?) = event.kind { beginTilt(on: pin) }
    if case .truth(_, let pin?) = event.kind {
      beginTilt(on: pin)
      pan.keepErrors()
      tilt?.keepErrors()
    }
    var isFull = pan.take(event)
    if tilt?.take(event) == true { isFull = true }
    guard isFull else { return }
    if tilts {
      pan.hold(until: event.time)
      tilt?.hold(until: event.time)
    }
    pan.compareKnown()
    tilt?.compareKnown()
    combine()
  }

  private mutating func beginTilt(on pin: BoardPin) {
    guard tilt == nil else { return }
    tilt = TrackingAxis(on: pin, view: view?.tilt, firstByte: pan.firstByte)
  }

  /// Whether there are a face and a shaft for the second axis.
  private var tilts: Bool { tilt.map { $0.refusal == nil } ?? false }

  /// Takes the greater of both errors at each time that is known of both.
  private mutating func combine() {
    panErrors += pan.takeErrors()
    tiltErrors += tilt?.takeErrors() ?? []
    guard tilts else { return panErrors.removeAll() }
    var (a, b) = (0, 0)
    while a < panErrors.count, b < tiltErrors.count {
      let (first, second) = (panErrors[a], tiltErrors[b])
      if first.time == second.time {
        errors.take(first.degrees < second.degrees ? second : first)
      }
      if first.time <= second.time { a += 1 }
      if second.time <= first.time { b += 1 }
    }
    panErrors.removeFirst(a)
    tiltErrors.removeFirst(b)
  }

  /// Why the ways cannot be compared; nil if they can.
  package var refusal: String? { pan.refusal }

  /// Why there are no figures although the ways can be compared.
  package static let tooShort =
    "the session ended before errors count: half a second after the first byte, or 2 s after the "
    + "face can first be seen"

  /// Returns what there is to say at the session's end. `commands` is the number of commands sent.
  package func figures(at end: Instant, commands: Int) -> TrackingFigures? {
    var record = self
    guard let first = record.pan.figures(at: end, commands: commands) else { return nil }
    guard tilts, let second = record.tilt?.figures(at: end, commands: commands) else {
      return first
    }
    record.combine()
    return TrackingFigures(pan: first, tilt: second, errors: record.errors)
  }
}
