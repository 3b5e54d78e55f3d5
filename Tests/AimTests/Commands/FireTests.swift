import Aim
import Testing

@Suite struct FireTests {
  @Test(
    arguments: [
      ("on target for 300ms", 0.3, 3, nil), (" on  target within 1.5° for 1s ", 1, 1.5, nil),
      ("on target every 2s for 0s within 10", 0, 10, 2),
    ] as [(String, Double, Double, Double?)])
  func `A condition is read`(text: String, time: Double, within: Double, every: Double?) throws {
    let condition = try FireCondition(text)
    #expect(condition.time == time && condition.within == within && condition.every == every)
  }

  @Test(
    arguments: [
      ("", #"a condition such as "on target for 300ms", found the end, at character 1 of """#),
      (
        "always",
        #"a condition such as "on target for 300ms", found "always", at character 1 of "always""#
      ),
      (
        "on target",
        #""for" and a time, such as for 300ms, found the end, at character 10 of "on target""#
      ),
      (
        "on target for 300",
        #"a time of at most 60s, such as 300ms, found "300", at character 15 of "#
          + #""on target for 300""#
      ),
      (
        "on target within 200° for 1s",
        #"0.1 to 90 degrees, such as 2°, found "200°", at character 18 of "#
          + #""on target within 200° for 1s""#
      ),
      (
        "on target soon",
        #""for", "within" or "every", found "soon", at character 11 of "on target soon""#
      ),
    ])
  func `A text that is not a condition is refused, with the place`(text: String, message: String) {
    #expect(throws: CommandTextError.self) { try FireCondition(text) }
    do throws(CommandTextError) {
      _ = try FireCondition(text)
    } catch {
      #expect(error.description == "expected \(message)")
    }
  }

  /// A face whose middle is there, in whole degrees of the linear mapping.
  private static func face(_ degrees: Int, _ tilt: Int = 90) -> Observation {
    let (x, y) = (Double(degrees - 40) / 100 + 0.001, 1 - Double(tilt - 40) / 100 - 0.001)
    return Observation(.face, box: Box(x - 0.05, y - 0.05, 0.1, 0.1))
  }

  /// Takes a picture every 100 ms, with the target at each of these angles; nil if it is hidden.
  /// Returns the numbers of those after which it fires.
  private static func shots(
    _ condition: String, _ pictures: [Observation?], _ change: (inout AimOptions) -> Void = { _ in }
  ) throws -> [Int] {
    var options = AimOptions()
    options.fire = FireOptions(Array("F".utf8), when: try FireCondition(condition))
    change(&options)
    var aimer = try Aimer(camera: Camera(image: Size(1000, 1000), fov: 60), options: options)
    var shots: [Int] = []
    for (number, picture) in pictures.enumerated() {
      let frame = Frame(time: Double(number) / 10, found: [picture].compactMap(\.self))
      if let shot = aimer.see(frame).shot {
        #expect(shot.text == "F" && shot.isShot && shot.degrees == nil)
        shots.append(number)
      }
    }
    return shots
  }

  /// The turret can point anywhere before the first command. It is within 3 degrees of 90 after 0.5
  /// s, and of 120 after 0.7 s.
  @Test(
    arguments: [
      ("on target for 300ms", Array(repeating: 90, count: 20), [8]),
      ("on target for 0s", Array(repeating: 90, count: 20), [5]),
      ("on target for 300ms every 500ms", Array(repeating: 90, count: 20), [8, 13, 18]),
      // A target that walks by 1 degree in a picture is followed.
      ("on target for 300ms", Array(70...89), [6]),
      // One that is too fast is not.
      ("on target for 300ms", [50, 130, 50, 130, 50, 130, 50, 130, 50, 130, 50, 130], []),
      // After a break it fires again, once the time is over again.
      (
        "on target for 300ms",
        Array(repeating: 90, count: 10) + [nil] + Array(repeating: 90, count: 10), [8, 19]
      ),
      // Nothing is fired without a target.
      ("on target for 300ms", Array(repeating: nil, count: 20), []),
    ] as [(String, [Int?], [Int])])
  func `It fires after the turret has pointed at the target for that long`(
    condition: String, angles: [Int?], shots: [Int]
  ) throws {
    let found = try Self.shots(condition, angles.map { $0.map { Self.face($0) } })
    #expect(found == shots)
  }

  @Test func `It does not fire at a target beyond the limits`() throws {
    let pictures = [Observation?](repeating: Self.face(120), count: 20)
    #expect(try Self.shots("on target for 300ms", pictures) == [10])
    #expect(try Self.shots("on target for 300ms", pictures) { $0.pan = 0...110 } == [])
    #expect(try Self.shots("on target within 12° for 300ms", pictures) { $0.pan = 0...110 } == [10])
  }

  @Test func `A sketch that tilts must point at the target in both directions`() throws {
    let pictures = [Observation?](repeating: Self.face(90, 120), count: 20)
    let both = try CommandTemplate(#"P{pan},{tilt}\n"#)
    #expect(try Self.shots("on target for 300ms", pictures) { $0.command = both } == [10])
    let limited = try Self.shots("on target for 300ms", pictures) {
      $0.command = both
      $0.tilt = 0...110
    }
    #expect(limited == [])
    #expect(try Self.shots("on target for 300ms", pictures) { $0.tilt = 0...110 } == [8])
  }

  @Test func `A camera on the turret sees whether it points at the target`() throws {
    func shots(_ degrees: Int) throws -> [Int] {
      try Self.shots("on target for 300ms", Array(repeating: Self.face(degrees), count: 10)) {
        $0.follow = FollowOptions()
        $0.follow?.mount = .turret
      }
    }
    #expect(try shots(90) == [3])
    #expect(try shots(110) == [])
  }

  @Test func `A long time without a picture is a break`() throws {
    var options = AimOptions()
    options.fire = FireOptions(Array("F".utf8), when: try FireCondition("on target for 300ms"))
    var aimer = try Aimer(camera: Camera(image: Size(1000, 1000)), options: options)
    let shots = [0, 0.5, 2, 2.2, 2.4].map {
      aimer.see(Frame(time: $0, found: [Self.face(90)])).shot != nil
    }
    #expect(shots == [false, false, false, false, true])
  }
}
