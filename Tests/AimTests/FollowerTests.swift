import Sketches
import Testing

@testable import Aim

/// A camera that sees a target without error, in a world in which the turret obeys at once.
struct FollowerTests {
  private static func options(_ change: (inout FollowOptions) -> Void) -> FollowOptions {
    var options = FollowOptions()
    change(&options)
    return options
  }

  @Test func `Without options, a fixed camera's target is aimed at`() {
    var follower = Follower(FollowOptions())
    #expect([0.0, 12.4, -30.6].map { follower.see($0, at: 1) } == [90, 102, 59])
    #expect(follower.see(nil, at: 2) == nil)
  }

  @Test func `A camera on the turret adds what it sees to where it points`() {
    var follower = Follower(Self.options { $0.mount = .turret })
    #expect(follower.see(10, at: 0) == 100)
    // By then the turret is at 100.
    #expect(follower.see(0, at: 5) == 100)
    #expect(follower.see(-20, at: 10) == 80)
  }

  @Test func `The age of a picture counts: a turn since then is not added again`() {
    var follower = Follower(
      Self.options {
        $0.mount = .turret
        $0.age = 0.2
      })
    #expect(follower.see(20, at: 1) == 110)
    // These pictures were taken before the turn.
    for time in [1.03, 1.07, 1.1, 1.13] { #expect(follower.see(20, at: time) == 110) }
    #expect(follower.see(0, at: 3) == 110)
  }

  @Test func `A target of constant speed is met, not followed behind`() {
    var follower = Follower(
      Self.options {
        $0.age = 0.1
        $0.lead = 0.05
        $0.gain = 0.5
      })
    var last = 0
    for index in 0..<90 {
      let now = Double(index) / 30
      last = follower.see(-20 + 15 * (now - 0.1), at: now) ?? 0
    }
    let face = 90 - 20 + 15 * (89.0 / 30 + 0.05)
    #expect(abs(Double(last) - face) <= 1)
  }

  /// What a fixed camera commands, 30 times a second, for a target that stands for a second and is
  /// then at these angles.
  private static func commands(_ degrees: (Double) -> Double) -> [Int] {
    var options = FollowOptions.usual
    options.age = 0.1
    var follower = Follower(options)
    return (0..<90).compactMap { index in
      let now = Double(index) / 30
      return follower.see(now < 1 ? 0 : degrees(now - 1) - 90, at: now + options.age)
    }
  }

  @Test(arguments: 3...30)
  func `A jump is aimed at with one command, whatever its size`(_ jump: Int) {
    let commands = Self.commands { _ in Double(90 + jump) }
    #expect(commands == Array(repeating: 90, count: 30) + Array(repeating: 90 + jump, count: 60))
  }

  @Test(
    arguments: [(7.0, 40.0), (7, 70), (10, 55), (10, 70), (15, 40), (15, 55), (15, 70)])
  func `A head that turns and stands is not gone beyond by what its speed promised`(
    _ way: Double, _ speed: Double
  ) throws {
    let most = try #require(Self.commands { min(90 + way, 90 + speed * $0) }.max())
    #expect(Double(most) - 90 - way <= 3.5)
  }

  @Test func `The first picture that contradicts a turn of the head takes its lead away`() {
    // A face that stops with the sixth picture after the first second.
    let commands = Self.commands { min(90 + 10, 90 + 60 * $0) }
    let most = commands.max() ?? 0
    #expect(most > 100 && commands.firstIndex(of: most)! < 36)
    #expect(commands.suffix(40).allSatisfy { (99...101).contains($0) })
  }

  @Test func `A speed that lasts is believed`() throws {
    for speed in [5.0, 10, 20, 30, 40] {
      let commands = Self.commands { 60 + speed * $0 }
      // Where it is when the servo moves.
      let face = 60 + speed * (59.0 / 30 + 0.13)
      #expect(abs(Double(try #require(commands.last)) - face) <= 1.5, "\(speed) degrees a second")
    }
  }

  @Test(arguments: [(3.0, 0.15), (20, 0.25), (90, 0.5)])
  func `A turret is taken to speed up and to slow down, and not to go beyond`(
    _ way: Double, _ seconds: Double
  ) {
    var pose = Pose()
    pose.command(90 + way, at: 1)
    let places = (0...2_000).map { pose.degrees(at: 1 + Double($0) / 1_000) }
    let steps = zip(places, places.dropFirst()).map { $1 - $0 }
    // At most 500 degrees a second.
    #expect(places[0] == 90 && steps[0] < 0.02 && steps.allSatisfy { (0...0.5).contains($0) })
    #expect(pose.degrees(at: 1 + seconds) > 89 + 0.98 * way)
    #expect(abs(places[2_000] - 90 - way) < 0.1)
    // A command on the way stops nothing at once.
    pose.command(90, at: 1.05)
    #expect(abs(pose.degrees(at: 1.05) - places[50]) < 1e-9)
    #expect(pose.degrees(at: 1.0501) > places[50] && pose.degrees(at: 1e9) == 90)
  }

  @Test func `A movement that lasts is stopped by a picture that contradicts it`() throws {
    // It walks for longer than a head turns, and stops.
    let commands = Self.commands { min(120, 90 + 40 * $0) }
    let most = try #require(commands.max())
    let index = try #require(commands.firstIndex(of: most))
    #expect(most > 122 && commands.dropFirst(index + 3).allSatisfy { abs($0 - 120) <= 1 })
  }

  @Test func `A dead zone holds, and is left for the target itself`() {
    var follower = Follower(Self.options { $0.deadZone = 2 })
    let seen = [10.0, 10.5, 11.9, 8.2, 12.6, 13, 13.1].map { follower.see($0, at: 1) }
    #expect(seen == [100, 100, 100, 100, 103, 103, 103])
    // It holds only once it has been near.
    let held = [13.0, 13.0, 14.5, 11.2, 15.2].map { follower.see($0, at: 2) }
    #expect(held == [103, 103, 103, 103, 105])
  }

  @Test func `A limit of speed is kept`() {
    var follower = Follower(Self.options { $0.speed = 30 })
    #expect(follower.see(0, at: 0) == 90)
    #expect(follower.see(40, at: 0.1) == 93)
    #expect(follower.see(40, at: 0.2) == 96)
    #expect(follower.see(40, at: 10) == 130)
  }

  @Test func `A target that is lost is taken to go on for the stated time`() {
    var follower = Follower(Self.options { $0.coast = 0.5 })
    #expect(follower.see(10, at: 0) == 100)
    #expect(follower.see(nil, at: 0.4) == 100)
    #expect(follower.see(nil, at: 0.6) == nil)
  }

  @Test(
    arguments: [
      { $0.age = -1 }, { $0.gain = 0 }, { $0.gain = 1.5 }, { $0.deadZone = .nan },
      { $0.speed = 0 }, { $0.coast = .infinity },
    ] as [@Sendable (inout FollowOptions) -> Void])
  func `A figure that makes no sense is refused`(_ change: @Sendable (inout FollowOptions) -> Void)
  {
    #expect(throws: AimError.self) { try Self.options(change).check() }
  }

  @Test func `Following needs the field of view`() {
    var options = AimOptions()
    options.follow = FollowOptions()
    #expect(throws: AimError.noFieldOfViewToFollow) {
      _ = try Aimer(camera: Camera(image: Size(640, 480)), options: options)
    }
  }

  @Test func `Whatever it sees, a command is an angle of the turret`() {
    var random = RandomStream(seed: 5, stream: 1)
    for _ in 0..<200 {
      var follower = Follower(
        Self.options {
          $0.mount = .turret
          $0.age = 0.2
          $0.gain = 0.4
          $0.deadZone = 1
          $0.acceleration = 300
          $0.coast = 0.2
        })
      var now = 0.0
      for _ in 0..<200 {
        now += Double(random.next() % 100) / 1_000
        let seen = [nil, 85, -85, 0, 1e300, .nan, -.infinity, 3.7][Int(random.next() % 8)]
        if let degrees = follower.see(seen, at: now) { #expect((0...180).contains(degrees)) }
      }
    }
  }
}
