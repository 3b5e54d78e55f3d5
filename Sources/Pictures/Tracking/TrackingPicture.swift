package import Sketches
package import Traces

/// What a picture of a turret that follows a face shows: a session's `x-truth`, `x-shaft`,
/// `x-supply` and servo events.
package struct PlottedTracking: Hashable, Sendable {
  package var title: String
  package var subtitle: String
  package var end: Instant
  /// Where the camera looks if it does not turn with the shaft, in degrees.
  package var camera: Double?

  struct Sample: Hashable {
    var time: Instant
    /// Nil where the line is interrupted.
    var value: Double?
  }

  struct Fault: Hashable {
    var time: Instant
    var text: String
  }

  /// The most samples that are kept of a line before the face is first seen, since most sessions
  /// have no face.
  private static let earlierMax = 10_000
  /// The most faults that are marked.
  private static let faultsMax = 40

  /// The ways in one axis.
  struct Axis: Hashable {
    /// The servo's pin; nil for the session's own.
    var pin: BoardPin?
    fileprivate(set) var face: [Sample] = []
    fileprivate(set) var shaft: [Sample] = []
    fileprivate(set) var commanded: [Sample] = []
  }

  /// The session's own servo, and the others that have events. The one that tilts has a face.
  private(set) var own = Axis()
  private var others: [Axis] = []
  /// The axis that tilts; nil if none does.
  var tilt: Axis? { others.first { !$0.face.isEmpty && !$0.shaft.isEmpty } }
  var face: [Sample] { own.face }
  var shaft: [Sample] { own.shaft }
  var commanded: [Sample] { own.commanded }
  private(set) var volts: [Sample] = []
  /// What the supply did, and the restarts of the board.
  private(set) var faults: [Fault] = []
  private(set) var faultCount = 0

  package init(title: String, subtitle: String, end: Instant) {
    self.title = title
    self.subtitle = subtitle
    self.end = end
  }

  /// Whether there is anything to draw.
  package var isEmpty: Bool { face.isEmpty || shaft.isEmpty }

  package mutating func take(_ event: Event) {
    guard event.time <= end else { return }
    let isEarly = face.isEmpty
    func add(_ value: Double, to samples: inout [Sample]) {
      if isEarly, samples.count == Self.earlierMax { samples.removeFirst(Self.earlierMax / 2) }
      samples.append(Sample(time: event.time, value: value))
    }
    switch event.kind {
    case .truth(let degrees, let pin):
      change(pin) { $0.face.append(Sample(time: event.time, value: degrees)) }
    case .shaft(let degrees, let pin): change(pin) { add(degrees, to: &$0.shaft) }
    case .supply(let value, _): add(value, to: &volts)
    case .output(.servo(let degrees, _, let pin)):
      change(pin) { add(Double(degrees), to: &$0.commanded) }
    case .fault(let strike):
      faultCount += 1
      if faults.count < Self.faultsMax {
        faults.append(Fault(time: event.time, text: strike.kind.rawValue))
      }
    default: break
    }
  }

  private mutating func change(_ pin: BoardPin?, _ body: (inout Axis) -> Void) {
    guard let pin else { return body(&own) }
    let index = others.firstIndex { $0.pin == pin } ?? others.endIndex
    if index == others.endIndex { others.append(Axis(pin: pin)) }
    body(&others[index])
  }

  /// The distance of an axis's shaft from the face, where that can be seen.
  func errors(of axis: Axis) -> [Sample] {
    var errors: [Sample] = []
    let stride = Interval.nanoseconds(max(5_000_000, (end - Instant.zero).nanoseconds / 4_000))
    var (a, b) = (0, 0)
    var time = Instant.zero
    while time <= end {
      let face = Self.value(of: axis.face, at: time, &a)
      let shaft = Self.value(of: axis.shaft, at: time, &b)
      let error = face.flatMap { face in shaft.map { $0 - face } }
      errors.append(Sample(time: time, value: error))
      time = time + stride
    }
    return errors
  }

  private static func value(of samples: [Sample], at time: Instant, _ index: inout Int) -> Double? {
    while index + 1 < samples.count, samples[index + 1].time <= time { index += 1 }
    guard index < samples.count, samples[index].time <= time, let here = samples[index].value else {
      return nil
    }
    guard index + 1 < samples.count, let next = samples[index + 1].value else { return here }
    let (from, to) = (samples[index].time, samples[index + 1].time)
    guard to > from else { return here }
    return here + (next - here) * (time - from).seconds / (to - from).seconds
  }
}

/// A turret that follows a face as a self-contained SVG. From top to bottom: the title and legend,
/// the angles of face, command and shaft, the distance between shaft and face, and the voltage of
/// the servos' rail if it is known. On a turret that tilts, the angles and the distance in that
/// axis follow those in the other. The same session always gives the same text.
package struct TrackingPicture: Sendable {
  private let session: PlottedTracking
  private var canvas: Canvas

  private static let width = 1_000.0
  private static let left = 62.0
  private static let right = 984.0
  private static let top = 98.0
  private static let anglesHeight = 214.0
  private static let errorHeight = 90.0
  private static let gap = 26.0
  /// Of the angles of an axis, and of its error.
  private static let axisHeight = anglesHeight + errorHeight + 2 * gap

  private struct Panel {
    var top: Double
    var height: Double
    var low: Double
    var high: Double

    var bottom: Double { top + height }
    func y(_ value: Double) -> Double {
      top + height * (high - min(max(value, low), high)) / (high - low)
    }
  }

  /// The picture as the text of an SVG file.
  package static func svg(of session: PlottedTracking) -> String {
    var picture = TrackingPicture(session)
    picture.draw(named: "", style: StyleSheet.text + style())
    return picture.canvas.text
  }

  /// The picture as an element of a page that has the style sheet and `pageStyle`. `name`
  /// distinguishes its elements from those of the page's other pictures.
  static func element(of session: PlottedTracking, named name: String) -> String {
    var picture = TrackingPicture(session)
    picture.draw(named: name, style: nil)
    return picture.canvas.text
  }

  static var pageStyle: String { style(in: ".tracking ") }

  private init(_ session: PlottedTracking) {
    self.session = session
    let height = session.volts.isEmpty ? 450.0 : 560
    canvas = Canvas(width: Self.width, height: height + (session.tilt == nil ? 0 : Self.axisHeight))
  }

  private mutating func draw(named name: String, style: String?) {
    canvas.openPicture(named: name, title: session.title, description: session.subtitle)
    if let style { canvas.style(style) }
    canvas.rectangle(0, 0, canvas.width, canvas.height, radius: 10, class: "background")
    canvas.write(TextStyle.title.fitted(session.title, to: Self.right - 16), at: 16, 30, .title)
    canvas.write(
      TextStyle.subtitle.fitted(session.subtitle, to: Self.right - 16), at: 16, 50, .subtitle)
    drawLegend()
    let tilt = session.tilt
    var last = draw(
      session.own, named: tilt == nil ? "" : "pan, ", looksAt: session.camera, from: Self.top)
    if let tilt {
      last = draw(
        tilt, named: "tilt, ", looksAt: session.camera == nil ? nil : 90,
        from: last.bottom + Self.gap)
    }
    if !session.volts.isEmpty {
      let high = session.volts.reduce(5.5) { max($0, $1.value ?? 0) }.rounded(.up)
      let volts = Panel(top: last.bottom + Self.gap, height: 84, low: 0, high: high)
      draw(volts, "volts", step: 2)
      canvas.line(Self.left, volts.y(2.7), Self.right, volts.y(2.7), class: "reset")
      canvas.write("2.7 V: brown-out", at: Self.right - 4, volts.y(2.7) - 3, .limit, anchor: .end)
      canvas.path(line(session.volts, volts, isStepped: true), class: "rail")
      last = volts
    }
    for fault in session.faults {
      let x = x(fault.time)
      canvas.line(x, Self.top, x, last.bottom, class: "divergence")
    }
    if let fault = session.faults.first {
      let more = session.faultCount > 1 ? ", and \(session.faultCount - 1) more" : ""
      canvas.write(
        "\(fault.text) at \(fault.time.shortText)\(more)", at: x(fault.time) + 4, Self.top + 12,
        .flag)
    }
    drawTimes(below: last)
    canvas.close("svg")
  }

  /// Draws the angles of an axis and their errors. Returns the panel of these.
  private mutating func draw(
    _ axis: PlottedTracking.Axis, named name: String, looksAt camera: Double?, from top: Double
  ) -> Panel {
    let angles = angles(of: axis, from: top)
    draw(angles, name + "degrees", step: Self.step(angles.high - angles.low))
    if let camera, camera >= angles.low, camera <= angles.high {
      let y = angles.y(camera)
      canvas.line(Self.left, y, Self.right, y, class: "limits")
    }
    canvas.path(line(axis.commanded, angles, isStepped: true), class: "commanded")
    canvas.path(line(axis.shaft, angles), class: "shaft")
    canvas.path(line(axis.face, angles), class: "face")
    let errors = session.errors(of: axis)
    let widest = errors.reduce(2.0) { max($0, abs($1.value ?? 0)) }
    let shown = min(widest, 20).rounded(.up)
    let error = Panel(
      top: angles.bottom + Self.gap, height: Self.errorHeight, low: -shown, high: shown)
    draw(
      error, name + (widest > 20 ? "error, cut at 20" : "error"),
      step: Self.step(2 * shown, parts: 4))
    canvas.line(Self.left, error.y(0), Self.right, error.y(0), class: "axis")
    canvas.path(line(errors, error), class: "miss")
    return error
  }

  private func angles(of axis: PlottedTracking.Axis, from top: Double) -> Panel {
    var (low, high) = (Double.infinity, -Double.infinity)
    for samples in [axis.face, axis.shaft, axis.commanded] {
      for sample in samples {
        guard let value = sample.value else { continue }
        (low, high) = (min(low, value), max(high, value))
      }
    }
    var panel = Panel(top: top, height: Self.anglesHeight, low: 0, high: 180)
    guard low <= high else { return panel }
    let margin = max(3, (high - low) * 0.06)
    panel.low = (low - margin).rounded(.down)
    panel.high = (high + margin).rounded(.up)
    return panel
  }

  private mutating func drawLegend() {
    var x = 16.0
    let rows = [
      ("face", "the face"), ("commanded", "commanded"), ("shaft", "the shaft"),
      ("miss", "error: how far the shaft is beyond the face"),
    ]
    for (style, text) in rows {
      canvas.line(x, 70, x + 22, 70, class: style)
      canvas.write(text, at: x + 28, 74, .legend)
      x += 50 + TextStyle.legend.width(text)
    }
  }

  private mutating func draw(_ panel: Panel, _ unit: String, step: Double) {
    canvas.rectangle(Self.left, panel.top, Self.right - Self.left, panel.height, class: "panel")
    var value = (panel.low / step).rounded(.up) * step
    while value <= panel.high {
      let y = panel.y(value)
      canvas.line(Self.left, y, Self.right, y, class: "grid")
      canvas.write(
        XMLText.number(value, places: step < 1 ? 1 : 0), at: Self.left - 6, y + 4, .axis,
        anchor: .end)
      value += step
    }
    canvas.write(unit, at: 16, panel.top - 6, .axis)
  }

  private mutating func drawTimes(below panel: Panel) {
    let seconds = (session.end - Instant.zero).seconds
    let step = Self.step(seconds, parts: 10)
    var time = 0.0
    while time <= seconds * 1.000_001 {
      let x = Self.left + (Self.right - Self.left) * time / seconds
      canvas.line(x, panel.bottom, x, panel.bottom + 4, class: "axis")
      canvas.write(
        "\(XMLText.number(time, places: step < 1 ? 1 : 0)) s", at: x, panel.bottom + 17, .axis,
        anchor: .middle)
      time += step
    }
  }

  /// A step of 1, 2 or 5 by a power of ten, with at most `parts` of them.
  private static func step(_ range: Double, parts: Double = 7) -> Double {
    var step = 0.01
    while true {
      for factor in [1.0, 2, 5] where range / (step * factor) <= parts { return step * factor }
      step *= 10
    }
  }

  private func x(_ time: Instant) -> Double {
    Self.left + (Self.right - Self.left) * (time - Instant.zero).seconds
      / (session.end - Instant.zero).seconds
  }

  /// A line through samples. `isStepped`: each value holds until the next.
  private func line(
    _ samples: [PlottedTracking.Sample], _ panel: Panel, isStepped: Bool = false
  ) -> PathData {
    var path = PathData()
    var isOpen = false
    var last = 0.0
    for sample in samples {
      guard let value = sample.value else {
        isOpen = false
        continue
      }
      let (x, y) = (x(sample.time), panel.y(value))
      if isOpen, isStepped { path.line(x, last) }
      if isOpen { path.line(x, y) } else { path.move(x, y) }
      isOpen = true
      last = y
    }
    if isOpen { path.line(Self.right, last) }
    return path
  }

  /// The rules beyond those of the style sheet, for the elements in `scope`.
  private static func style(in scope: String = "") -> String {
    func rules(_ palette: Palette) -> String {
      """
      \(scope).face { stroke: \(palette.ink) }
      \(scope).miss { stroke: \(palette.divergence) }
      \(scope).rail { stroke: \(palette.tone) }

      """
    }
    let lines = ["face", "miss", "rail"].map { "\(scope).\($0)" }.joined(separator: ", ")
    return """
      \(lines) { fill: none; stroke-width: 1.6; stroke-linejoin: round }
      \(scope).shaft { stroke-width: 2.4 }

      """ + rules(.light) + "@media (prefers-color-scheme: dark) {\n\(rules(.dark))}\n"
  }
}

extension Instant {
  fileprivate var shortText: String {
    String(shortest: Interval.milliseconds((self - Instant.zero).nanoseconds / 1_000_000)) + " s"
  }
}
