import Foundation
import Network
import TestSupport
import Testing

/// How `aim` is authorized: tokens and certificates.
@Suite(.ownThread) struct AimAccessTests {
  private static let token = "0123456789abcdef0123456789abcdef"
  private static let wrong = "f123456789abcdef0123456789abcdef"

  private static func guarded() async throws -> GatewayStage {
    let bench = try Bench()
    try bench.write(token + "\n", "tokens")
    return try await GatewayStage(["--token-file", "tokens"], in: bench)
  }

  /// Runs an `aim` with one command for each target, which refuses it for this reason. They run at
  /// the same time, because each tries for five seconds once its observations have ended.
  private static func refused(
    _ runs: [(target: String, reason: String)]
  ) async throws -> [Bench.Outcome] {
    let aims = try runs.map { run in
      let aim = try AimStage(to: run.target, in: Bench())
      aim.see(0.5)
      return aim
    }
    for (aim, run) in zip(aims, runs) { try await aim.tells(run.reason) }
    for aim in aims { aim.endInput() }
    var outcomes: [Bench.Outcome] = []
    for (aim, run) in zip(aims, runs) {
      let outcome = try await aim.finish()
      #expect(outcome.status == 69)
      // The reason is repeated at the end, where it is easy to find.
      let last = outcome.errors.split(separator: "\n").last ?? ""
      #expect(last.contains("error: was never reached, and no command was sent; "))
      #expect(last.contains(run.reason.trimmingPrefix("disconnected: ")))
      outcomes.append(outcome)
    }
    return outcomes
  }

  @Test func `A token can be read from a file`() async throws {
    let stage = try await Self.guarded()
    let aim = try AimStage(
      to: "ws://127.0.0.1:\(stage.port)/", ["--token-file", stage.bench.path("tokens")], in: Bench()
    )
    aim.see(0.5)
    try await stage.recorded("X90.")
    let outcome = try await aim.end()
    #expect(outcome.status == 0)
    #expect(!outcome.errors.contains(Self.token))
  }

  @Test func `Aim connects with its token, is told of a wrong or missing one, and shows none`()
    async throws
  {
    let stage = try await Self.guarded()
    let address = "ws://127.0.0.1:\(stage.port)/"
    let aim = try AimStage(to: "\(address)?token=\(Self.token)", in: Bench())
    aim.see(0.5)
    try await stage.recorded("X90.")
    let welcome = try await aim.end()
    #expect(welcome.status == 0)
    let refused = try await Self.refused([
      ("\(address)?token=\(Self.wrong)", "`the token is not accepted here`"),
      (address, "it answers 401 Unauthorized"),
    ])
    for outcome in [welcome] + refused {
      #expect(!(outcome.output + outcome.errors).contains("123456789abcdef"))
    }
    #expect(try await stage.terminate().status == 143)
    #expect(stage.received == "X90.")
  }

  @Test func `A terminal does not show the token either`() async throws {
    let gateway = try await Self.guarded()
    let terminal = try TestTerminal(columns: 200, rows: 10)
    let stage = try AimStage(
      to: "ws://127.0.0.1:\(gateway.port)/?token=\(Self.wrong)", on: terminal, in: Bench())
    stage.see(0.5)
    try await stage.shows("disconnected: it answers 401")
    #expect(try await stage.end().status == 69)
    #expect(stage.screen.contains("was never reached"))
    #expect(!stage.screen.contains("123456789abcdef"))
  }

  @Test(arguments: [
    "ws://127.0.0.1/?token=secret", "ws://127.0.0.1:0/?token=secret", "ws:///?token=secret",
    "ws://me:secret@127.0.0.1:1/", "tcp://127.0.0.1:1/?token=secret",
    "http://127.0.0.1:1/?token=secret", "ws://127.0.0.1:1/#?token=secret",
    "ws://127.0.0.1:1/ ?token=secret", "ws://127.0.0.1:1/?token=secret\n",
  ])
  func `An invalid address is wrong usage, and its token is not repeated`(_ target: String) throws {
    let bench = try Bench()
    try bench.write(Seen.file(Seen.frame("0")), "seen.jsonl")
    let outcome = try bench.run("aim", "seen.jsonl", "--to", target)
    #expect(outcome.status == 64)
    #expect(outcome.errors.contains("wss://HOST:PORT/PATH"), "\(outcome.errors)")
    #expect(!(outcome.output + outcome.errors).contains("secret"))
  }

  @Test(.enabled(if: TLSLayer.isBuiltIn, "it is built without TLS"))
  func `A server with an untrusted certificate gets no command without --ca`() async throws {
    let bench = try Bench()
    try bench.write(ExampleCertificate.certificate, "cert.pem")
    try bench.write(ExampleCertificate.key, "key.pem")
    let stage = try await GatewayStage(
      ["--tls", "cert=cert.pem,key=key.pem"], in: bench)
    let place = "://localhost:\(stage.port)/"
    _ = try await Self.refused([
      ("wss" + place, "disconnected: its certificate is not trusted"),
      ("ws" + place, "`This port speaks TLS: use https:// or wss://.`"),
    ])
    let aim = try AimStage(to: "wss" + place, ["--ca", bench.path("cert.pem")], in: Bench())
    aim.see(0.25)
    try await aim.tells(": connected")
    #expect(try await aim.end().status == 0)
    #expect(try await stage.terminate().status == 143)
    #expect(stage.received == "X65.")
  }

  @Test func `A refusal is reported even if the observations end before the answer`() async throws {
    let stage = try await Self.guarded()
    let outcome = try stage.bench.pipe(
      Seen.frame("0", Seen.face(0.5)), to: "ws://127.0.0.1:\(stage.port)/")
    #expect(outcome.status == 69)
    #expect(outcome.errors.contains("it answers 401 Unauthorized"), "\(outcome.errors)")
  }
}
