import Network
import Sketches
import Testing
import TurretLink

@testable import Sessions

/// What is reported at the end of aiming.
struct AimOutcomeTests {
  static let cases: [(outcome: AimOutcome, problem: String?)] = [
    (AimOutcome(), nil),
    // The target is away now, but it has received everything.
    (AimOutcome(trouble: "is gone"), nil),
    (AimOutcome(wasThere: false, trouble: "is gone"), nil),
    (
      AimOutcome(wasPlayed: false, wasThere: false, trouble: "there is no such port"),
      "could not be reached within 10 s, and nothing was sent; there is no such port"
    ),
    (
      AimOutcome(wasPlayed: false, wasThere: false),
      "could not be reached within 10 s, and nothing was sent"
    ),
    (
      AimOutcome(unsent: .aim(65), trouble: "is gone"),
      "the last command, X65., may not have arrived; is gone"
    ),
    (AimOutcome(unsent: .lost), "the last command, L, may not have arrived"),
    (
      AimOutcome(wasThere: false, unsent: .lost, trouble: "refused"),
      "was never reached, and no command was sent; refused"
    ),
    (
      AimOutcome(refusal: "not-in-control: phone"),
      "did not accept every command; not-in-control: phone"
    ),
    (
      AimOutcome(unsent: .lost, refusal: "not-in-control: phone", trouble: "is gone"),
      "the last command, L, may not have arrived; is gone"
    ),
  ]

  @Test(arguments: cases.indices)
  func `A problem gives the reason that commands did not reach the turret`(index: Int) {
    #expect(Self.cases[index].outcome.problem == Self.cases[index].problem)
  }
}
