import Foundation
import TestSupport
import Testing

/// The example observations.
@Suite("The example of aim", .ownThread) struct AimExampleTests {
  @Test func `A face moves from left to right and is lost, even if smaller ones appear`() throws {
    let root = URL(filePath: #filePath).appending(path: "../../../..").standardized
    let seen = root.appending(path: "examples/seen.jsonl").path
    let bench = try Bench()
    let outcome = try bench.run("aim", seen, "--to", "-")
    #expect(outcome.status == 0)
    #expect(outcome.errors.isEmpty)
    let commands = outcome.lines.dropFirst().map { $0.split(separator: "\"")[3] }
    #expect(commands.last == "L")
    let degrees = commands.dropLast().compactMap { Int($0.dropFirst().dropLast()) }
    #expect(degrees.count == commands.count - 1)
    #expect(degrees.first == 54 && degrees.last == 126)
    #expect(zip(degrees, degrees.dropFirst()).allSatisfy { $0 < $1 })
  }
}
