import TestSupport
import Testing

@testable import Serial

struct TelnetNegotiationTests {
  @Test(
    arguments: [
      // The command received, and the answer, if nothing was requested.
      (TelnetVerb.will, 0, [255, 253, 0]), (.will, 3, [255, 253, 3]), (.will, 44, [255, 253, 44]),
      (.request, 0, [255, 251, 0]), (.request, 44, [255, 251, 44]),
      (.will, 1, [255, 254, 1]), (.request, 1, [255, 252, 1]), (.request, 255, [255, 252, 255]),
      (.wont, 0, []), (.forbid, 0, []), (.wont, 1, []), (.forbid, 99, []),
    ] as [(TelnetVerb, UInt8, [UInt8])])
  func `Known options are agreed to, and all others refused`(
    _ verb: TelnetVerb, _ option: UInt8, _ answer: [UInt8]
  ) {
    var negotiation = TelnetNegotiation()
    #expect(negotiation.take(verb, option) == answer)
    // The same again changes no known option, so it has no answer.
    if TelnetOption(rawValue: option) != nil { #expect(negotiation.take(verb, option) == []) }
  }

  @Test func `The answer to a request has no answer`() {
    var negotiation = TelnetNegotiation()
    #expect(negotiation.request(.comPort, .theirs) == [255, 253, 44])
    #expect(negotiation.request(.comPort, .theirs) == [])
    #expect(!negotiation.isOn(.comPort, .theirs))
    #expect(negotiation.take(.will, 44) == [])
    #expect(negotiation.isOn(.comPort, .theirs))
    #expect(negotiation.take(.wont, 44) == [255, 254, 44])
    #expect(!negotiation.isOn(.comPort, .theirs))
    #expect(negotiation.take(.wont, 44) == [])
  }

  @Test(arguments: 0..<100)
  func `Two ends never answer each other endlessly, and then agree`(_ seed: UInt64) {
    var random = SeededGenerator(seed: seed)
    var ends = [TelnetNegotiation(), TelnetNegotiation()]
    // The bytes on their way to each end.
    var wires: [[UInt8]] = [[], []]
    for option in TelnetOption.allCases {
      for end in 0...1 {
        for side in [TelnetNegotiation.Side.ours, .theirs] where Bool.random(using: &random) {
          wires[1 - end] += ends[end].request(option, side)
        }
      }
    }
    var count = 0
    while let end = wires.indices.filter({ !wires[$0].isEmpty }).randomElement(using: &random) {
      let command = wires[end].prefix(3)
      wires[end].removeFirst(3)
      guard let verb = TelnetVerb(rawValue: command[1]) else { break }
      wires[1 - end] += ends[end].take(verb, command[2])
      count += 1
    }
    // Each of 6 options' sides is requested by both ends and answered by both, at most.
    #expect(count <= 24, "seed \(seed)")
    for option in TelnetOption.allCases {
      #expect(ends[0].isOn(option, .ours) == ends[1].isOn(option, .theirs), "seed \(seed)")
      #expect(ends[1].isOn(option, .ours) == ends[0].isOn(option, .theirs), "seed \(seed)")
    }
  }
}
