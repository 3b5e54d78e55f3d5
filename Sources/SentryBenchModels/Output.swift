package import Judging
import Sketches

/// Something that the turret does and that a test can wait for.
public struct Output: Sendable {
  /// Nil if such an output is not possible.
  package let target: Target?
  /// What is expected of its numbers.
  let expected: String

  /// The sketch commands this angle, in whole degrees from 0 to 180. `name` is a servo's pin, such
  /// as `D10`, or its name in the profile; nil for the session's own servo.
  public static func servo(_ degrees: Int, on name: String? = nil) -> Output {
    servo(degrees...degrees, on: name)
  }

  /// The sketch commands an angle in this range, in whole degrees from 0 to 180.
  public static func servo(_ degrees: ClosedRange<Int>, on name: String? = nil) -> Output {
    let isAngle = (0...180).contains(degrees.lowerBound) && degrees.upperBound <= 180
    return Output(
      target: isAngle ? .servo(degrees, name: name) : nil,
      expected: "angles from 0 to 180 degrees, found \(degrees)")
  }

  /// The shaft is at this angle, in degrees. The shaft reaches a commanded angle later, because a
  /// servo takes time to turn.
  public static func shaft(
    _ degrees: Double, _ margin: Margin, on name: String? = nil
  ) -> Output {
    number(degrees, margin, "an angle in degrees, and a margin of at least 0") {
      .shaft($0, name: name)
    }
  }

  /// The servo's pin shows a pulse of this width, in microseconds. Requires `pulses: true`.
  public static func pulse(
    _ width: Double, _ margin: Margin = ±3, on name: String? = nil
  ) -> Output {
    number(width, margin, "a width in microseconds, and a margin of at least 0") {
      .pulse($0, name: name)
    }
  }

  /// Pulses begin on a servo's pin, such as `D9`, or on that of a servo with a name in the profile.
  public static func attached(_ servo: String) -> Output {
    Output(target: .attached(name: servo), expected: "a servo's pin")
  }

  /// The pulses on a servo's pin stop.
  public static func detached(_ servo: String) -> Output {
    Output(target: .detached(name: servo), expected: "a servo's pin")
  }

  /// The board sends this line. `*` stands for any text. CR and LF at its end are not part of it.
  public static func transmit(_ text: String) -> Output {
    Output(
      target: TextPattern(text).map { .transmit($0) },
      expected: "a text of bytes, U+0000 to U+00FF")
  }

  /// The board sounds a tone of this many hertz, within 1 %.
  public static func tone(_ hertz: Double) -> Output {
    Output(
      target: hertz.isFinite && hertz > 0 ? .tone(hertz) : nil,
      expected: "a tone of more than 0 Hz, found \(hertz)")
  }

  /// The pin changes to this level, 0 or 1, in time, or does not change and has it. `name` is a
  /// pin, such as `D7`, or its name in the profile. Requires an emulated board.
  public static func pin(_ name: String, _ level: Int) -> Output {
    Output(
      target: (0...1).contains(level) ? .pin(PinTarget(name, .level(isHigh: level == 1))) : nil,
      expected: "a level, 0 or 1, found \(level)")
  }

  /// The pin goes to this level, 0 or 1, and back, after a time between `least` and `most`.
  public static func pinPulse(
    _ name: String, to level: Int = 1, atLeast least: Duration? = nil, atMost most: Duration? = nil
  ) -> Output {
    let lengths = [least, most].compactMap { $0 }.map { try? Interval(positive: $0) }
    let isRange =
      (0...1).contains(level) && !lengths.contains(nil)
      && (least ?? .zero) <= (most ?? least ?? .zero)
    var limits = PinTarget.Limits<Interval>()
    if let least { limits.least = try? Interval(positive: least) }
    if let most { limits.most = try? Interval(positive: most) }
    return Output(
      target: isRange ? .pin(PinTarget(name, .pulse(isHigh: level == 1, limits))) : nil,
      expected: "a level, 0 or 1, and lengths over 0 of which the first is the smaller")
  }

  /// The pin is high for this part of a cycle, in percent. A cycle lasts from one rising edge to
  /// the next.
  public static func duty(_ name: String, _ percent: ClosedRange<Double>) -> Output {
    let isPart = percent.lowerBound >= 0 && percent.upperBound <= 100
    let limits = PinTarget.Limits(least: percent.lowerBound, most: percent.upperBound)
    return Output(
      target: isPart ? .pin(PinTarget(name, .duty(limits))) : nil,
      expected: "a part of a cycle from 0 to 100 percent, found \(percent)")
  }

  private static func number(
    _ value: Double, _ margin: Margin, _ expected: String,
    _ target: (ClosedRange<Double>) -> Target
  ) -> Output {
    let isRange = value.isFinite && margin.width.isFinite && margin.width >= 0
    return Output(
      target: isRange ? target((value - margin.width)...(value + margin.width)) : nil,
      expected: expected)
  }

  /// Throws `TurretError` if such an output is not possible.
  package func checked() throws(TurretError) -> Target {
    guard let target else { throw TurretError("expected \(expected)") }
    return target
  }
}

/// How far a value can be from the expected one, in the same unit.
public struct Margin: Sendable {
  let width: Double
}

prefix operator ±

/// A margin on both sides: `.shaft(110, ±2)`.
public prefix func ± (width: Double) -> Margin { Margin(width: width) }
