// Draws docs/servos.svg: the curves of the servo plant beside measurements. See `picture`.
import Devices
import Foundation

var svg: [String] = []

/// A panel with axes from zero; angles can be below it.
@MainActor struct Panel {
  var left: Double
  var title: String
  var across: (name: String, end: Double, step: Double)
  var up: (name: String, start: Double, end: Double, step: Double)
  static let (top, width, height) = (64.0, 268.0, 250.0)

  func x(_ value: Double) -> Double { left + value / across.end * Self.width }
  func y(_ value: Double) -> Double {
    Self.top + Self.height * (1 - (value - up.start) / (up.end - up.start))
  }

  func axes() {
    svg.append(#"<text class="head" x="\#(left)" y="\#(Self.top - 14)">\#(title)</text>"#)
    for value in stride(from: up.start, through: up.end, by: up.step) {
      line("grid", [(0, value), (across.end, value)])
      text(left - 6, y(value) + 4, "end", "\(Int(value))")
    }
    for value in stride(from: 0, through: across.end, by: across.step) {
      line("grid", [(value, up.start), (value, up.end)])
      text(x(value), Self.top + Self.height + 16, "middle", "\(Int(value))")
    }
    text(left + Self.width / 2, Self.top + Self.height + 34, "middle", across.name)
    text(left - 6, Self.top - 14, "end", up.name)
  }

  func text(_ x: Double, _ y: Double, _ anchor: String, _ words: String) {
    let place = #"x="\#(tenths(x))" y="\#(tenths(y))" text-anchor="\#(anchor)""#
    svg.append("<text \(place)>\(words)</text>")
  }

  func line(_ kind: String, _ points: [(Double, Double)]) {
    let text = points.map { "\(tenths(x($0.0))),\(tenths(y($0.1)))" }.joined(separator: " ")
    svg.append(#"<polyline class="\#(kind)" points="\#(text)"/>"#)
  }

  func dots(_ kind: String, _ points: [(Double, Double)]) {
    for point in points {
      let (x, y) = (tenths(x(point.0)), tenths(y(point.1)))
      svg.append(
        kind.hasSuffix("ring")
          ? #"<circle class="\#(kind)" cx="\#(x)" cy="\#(y)" r="3.4"/>"#
          : #"<circle class="\#(kind)" cx="\#(x)" cy="\#(y)" r="2"/>"#)
    }
  }
}

func tenths(_ value: Double) -> String {
  let tenths = Int((value * 10).rounded())
  return "\(tenths < 0 ? "-" : "")\(abs(tenths) / 10).\(abs(tenths) % 10)"
}

let rising = Panel(
  left: 40, title: "SG90, from 0 degrees", across: ("ms since write()", 480, 120),
  up: ("°", -20, 140, 20))
let falling = Panel(
  left: 360, title: "SG90, back to 0 degrees", across: ("ms since write()", 480, 120),
  up: ("°", -20, 140, 20))
let travel = Panel(
  left: 680, title: "time for an angle at 4.2 V", across: ("degrees", 180, 45),
  up: ("ms", 0, 500, 100))
for panel in [rising, falling, travel] { panel.axes() }
var squares = 0.0
for step in MeasuredStep.all {
  let panel = step.to > step.from ? rising : falling
  let times = Array(stride(from: 0.0, through: 470, by: 5))
  let fit = step.fit(.sg90)
  squares += fit.error * fit.error
  panel.line("plant", Array(zip(times, step.simulated(.sg90, phase: fit.phase, at: times))))
  panel.dots("measured", step.points.map { ($0.time, $0.degrees) })
}
for (index, measured) in MeasuredTravel.all.enumerated() {
  let angles = Array(stride(from: 5.0, through: 180, by: 5))
  let times = angles.map { MeasuredTravel.simulated(measured.data, degrees: $0) }
  travel.line(index == 0 ? "plant" : "plant other", Array(zip(angles, times)))
  travel.dots(
    index == 0 ? "measured ring" : "measured other ring",
    measured.times.map { ($0.degrees, $0.milliseconds) })
}
travel.text(travel.x(60), travel.y(310), "middle", "SG90")
travel.text(travel.x(135), travel.y(210), "middle", "MG90S")

let error = tenths((squares / Double(MeasuredStep.all.count)).squareRoot())
print(
  """
  <svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 970 400" width="970" height="400" role="img" \
  aria-labelledby="title">
  <title id="title">Steps of the simulated SG90 beside measured ones: \(error) degrees apart in the \
  mean square. Times of the SG90 and the MG90S for an angle, beside measured ones</title>
  <style>
  text { font: 12px system-ui, sans-serif; fill: #5b6675 }
  .head { font-size: 13px; font-weight: 600; fill: #1b2430 }
  .background { fill: #ffffff }
  .grid { fill: none; stroke: #e3e8ee }
  .plant { fill: none; stroke: #e69200; stroke-width: 2.5; stroke-linejoin: round }
  .measured { fill: #0067b1 }
  .ring { fill: none; stroke: #0067b1; stroke-width: 1.8 }
  .plant.other { stroke-dasharray: 6 4 }
  .measured.other { stroke-dasharray: 2.5 1.6 }
  @media (prefers-color-scheme: dark) {
  text { fill: #9aa6b4 }
  .head { fill: #dfe6ee }
  .background { fill: #12181f }
  .grid { stroke: #28313b }
  .plant { stroke: #f0a832 }
  .measured { fill: #7cc0ff }
  .ring { fill: none; stroke: #7cc0ff }
  }
  </style>
  <rect class="background" width="970" height="400"/>
  <text class="head" x="40" y="24">The servo plant beside measurements</text>
  \(svg.joined(separator: "\n"))
  <circle class="measured" cx="46" cy="380" r="3"/><text x="56" y="384">measured</text>
  <polyline class="plant" points="134,380 158,380"/><text x="166" y="384">simulated \
  (\(error)° from the steps in the mean square)</text>
  </svg>
  """)
