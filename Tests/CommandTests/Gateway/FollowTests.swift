import Foundation
import Platform
import TestSupport
import Testing

/// `follow`, from a phone to a board.
@Suite(.ownThread) struct FollowTests {
  @Test func `The board is aimed at the phone's target, and gets one L when there is none`()
    async throws
  {
    let bench = try Bench()
    let phone = try await PhoneProgram(in: bench)
    try phone.answers("12:00:#|angle^15.2|distance^4.3\n")
    let board = try PluggedBoard(in: bench)
    let program = try #require(Bench.program)
    let running = try bench.start(
      program,
      [
        "follow", "127.0.0.1:\(phone.port)", "--device", "serial:board", "--boot-time", "50ms",
        "--firmware", "classic", "--record", "record.jsonl", "--on-disconnect", "centre",
      ])
    defer { if running.isRunning { kill(running.identifier, SIGKILL) } }
    try await board.receives("X105.")
    // The other format of answers.
    try phone.answers(#"{"timestamp": "12:00:#", "angle": -20, "distance": 4.3}"#)
    try await board.receives("X105.X70.")
    // Several answers without a target cause one L.
    try phone.answers(#"{"timestamp": "12:00:#", "angle": null, "distance": null}"#)
    try await board.receives("X105.X70.L")
    try phone.answers("12:00:#|angle^-50|distance^4.3\n")
    try await board.receives("X105.X70.LX40.")
    // The target is lost while the phone is away, and found again when it is back.
    try await phone.goAway()
    try await board.receives("X105.X70.LX40.L")
    try phone.answers("12:00:#|angle^0.4|distance^4.3\n")
    try phone.comeBack()
    try await board.receives("X105.X70.LX40.LX90.")
    try phone.answers("12:00:#|angle^30|distance^4.3\n")
    try await board.receives("X105.X70.LX40.LX90.X120.")

    kill(running.identifier, SIGINT)
    let outcome = try running.finish(within: 20)
    #expect(outcome.status == 130, "\(outcome.errors)")
    try await board.receives("X105.X70.LX40.LX90.X120.X90.")
    let recording = try bench.read("record.jsonl")
    #expect(recording.hasSuffix("\"mark\", \"end\"]\n"))
    #expect(try bench.run("explain", "record.jsonl").status == 0)
  }

  @Test(arguments: [
    (["127.0.0.1:0"], "HOST:PORT"), (["127.0.0.1"], "HOST:PORT"),
    (["127.0.0.1:9", "--rate", "0"], "--rate"), (["127.0.0.1:9", "--stale", "0s"], "--stale"),
    (["127.0.0.1:9", "--for", "0s"], "--for"), (["127.0.0.1:9", "--baud", "0"], "--baud"),
  ])
  func `Invalid options are wrong usage`(options: [String], says: String) throws {
    let refusal = try #require(Refusal(of: ["follow"] + options))
    #expect(refusal.status == 64)
    #expect(refusal.message.contains(says), "\(refusal.message)")
  }

  @Test func `A phone that is not there is waited for, and the model moves`() async throws {
    let bench = try Bench()
    let phone = try await PhoneProgram(in: bench)
    try await phone.goAway()
    try phone.answers("12:00:#|angle^-45|distance^4.3\n")
    let running = try bench.start(
      try #require(Bench.program),
      ["follow", "127.0.0.1:\(phone.port)", "--record", "record.jsonl"])
    defer { if running.isRunning { kill(running.identifier, SIGKILL) } }
    try await Stage.wait("a line about the phone", within: 20) {
      running.errorsSoFar.contains(phone.port)
    }
    try phone.comeBack()
    try await Stage.wait("the servo", within: 20) {
      ((try? bench.read("record.jsonl")) ?? "").contains("\"servo\", 45")
    }
    kill(running.identifier, SIGINT)
    let outcome = try running.finish(within: 20)
    #expect(outcome.status == 130)
    let told = outcome.errors
    #expect(told.contains("cannot connect to the phone") && !told.contains("connected client"))
    #expect(try bench.run("verify", "record.jsonl").status == 0)
  }
}
