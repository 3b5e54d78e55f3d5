import Foundation
import Network
import TestSupport
import Testing

/// Which clients are admitted, and the status with which others are refused.
@Suite(.ownThread) struct AccessStatusTests {
  struct Case: CustomTestStringConvertible, Sendable {
    var what: String
    var path = "/"
    var headers: [String] = []
    var status: Int
    var testDescription: String { what }
  }

  private static let token = "0123456789abcdef0123456789abcdef"

  private static let cases = [
    Case(what: "no token", status: 401),
    Case(what: "no token, to watch", path: "/events", status: 401),
    Case(what: "a wrong token by header", headers: bearer("f" + token.dropFirst()), status: 401),
    Case(what: "a wrong token by query", path: "/?token=f\(token.dropFirst())", status: 401),
    Case(what: "a token's beginning", headers: bearer(token.dropLast()), status: 401),
    Case(
      what: "a foreign origin, with the token",
      headers: bearer(token[...]) + ["Origin: https://evil.example"], status: 403),
    Case(what: "the token by header", headers: bearer(token[...]), status: 101),
    Case(what: "the token by query", path: "/?token=\(token)", status: 101),
    Case(
      what: "an origin that is let in",
      headers: bearer(token[...]) + ["Origin: https://turret.example"], status: 101),
    Case(what: "the token, to watch", path: "/events?token=\(token)", status: 101),
    Case(what: "another path", path: "/other?token=\(token)", status: 404),
  ]

  private static func bearer(_ token: Substring) -> [String] { ["Authorization: Bearer \(token)"] }

  @Test
  func `The status is 401 without the token, 403 from a foreign page, and 101 with the token`()
    async throws
  {
    let bench = try Bench()
    try bench.write(Self.token + "\n", "tokens")
    let stage = try await GatewayStage(
      ["--token-file", "tokens", "--allow", "origin=https://turret.example", "-v"],
      records: false, in: bench)
    for one in Self.cases {
      let peer = try WebSocketPeer(port: stage.port, path: one.path, headers: one.headers)
      #expect(peer.status == one.status, "\(one.what)")
    }
    // Not even in a verbose log.
    let outcome = try await stage.terminate()
    #expect(outcome.status == 143)
    #expect(!outcome.errors.contains(Self.token.dropFirst()), "the log has a token")
  }

  @Test func `A foreign page is refused on loopback too, and a program is accepted`() async throws {
    let stage = try await GatewayStage(records: false)
    let page = try WebSocketPeer(port: stage.port, headers: ["Origin: https://evil.example"])
    #expect(page.status == 403)
    #expect(try WebSocketPeer(port: stage.port).status == 101)
    let own = "Origin: http://127.0.0.1:\(stage.port)"
    #expect(try WebSocketPeer(port: stage.port, headers: [own]).status == 101)
  }

  @Test func `A foreign page does not move the turret over bare TCP`() async throws {
    let stage = try await GatewayStage(["--on-disconnect", "scan"], tcp: true)
    #expect(stage.errors.contains("bare TCP has no access control: any program on this computer"))
    let page = try PlainSocket(port: stage.tcpPort)
    page.write("POST / HTTP/1.1\r\nHost: a\r\nContent-Length: 4\r\n\r\nX45.".utf8)
    #expect(page.read(through: "\r\n").hasPrefix("HTTP/1.1 400 "))
    try await stage.metric("clients{kind=\"tcp\"}", is: 0)
    let client = try PlainSocket(port: stage.tcpPort)
    client.write("X10.".utf8)
    try await stage.recorded("X10.")
    #expect(try stage.metric("requests_refused_total{status=\"400\"}") == 1)
    #expect(try await stage.terminate().errors.contains("it begins as an HTTP request"))
    #expect(stage.received.hasPrefix("X10."))
  }

  @Test(.enabled(if: TLSLayer.isBuiltIn, "it is built without TLS"))
  func `Plain HTTP to the TLS port gets 400`() async throws {
    let bench = try Bench()
    try bench.write(ExampleCertificate.certificate, "cert.pem")
    try bench.write(ExampleCertificate.key, "key.pem")
    let stage = try await GatewayStage(
      ["--tls", "cert=cert.pem,key=key.pem"], records: false, in: bench)
    #expect(stage.errors.contains("wss://127.0.0.1:\(stage.port)/"))
    #expect(try stage.get("/health").status == 400)
    #expect(try WebSocketPeer(port: stage.port).status == 400)
  }

  struct Start: CustomTestStringConvertible, Sendable {
    var what: String
    var options: [String]
    var status: Int32
    /// The message on standard error.
    var says: String
    var testDescription: String { what }
  }

  private static let starts = [
    Start(
      what: "all addresses without a token", options: ["--listen", "0.0.0.0:0"], status: 64,
      says: "--token-file"),
    Start(
      what: "bare TCP beyond loopback", options: ["--tcp", "0.0.0.0:0"], status: 64,
      says: "--allow anonymous"),
    Start(
      what: "bare TCP beyond loopback, with tokens",
      options: ["--tcp", "0.0.0.0:0", "--token-file", "good"], status: 64,
      says: "--allow anonymous"),
    Start(
      what: "a bad token file",
      options: ["--listen", "127.0.0.1:0", "--token-file", "bad"], status: 65, says: "bad:1"),
    Start(
      what: "a missing token file",
      options: ["--listen", "127.0.0.1:0", "--token-file", "missing"], status: 66,
      says: "missing"),
    Start(
      what: "no address", options: ["--listen", "12354"], status: 64, says: "HOST:PORT"),
    Start(what: "no time at all", options: ["--for", "0s"], status: 64, says: "--for"),
  ]

  private static let startsWithTLS = [
    Start(
      what: "a missing certificate",
      options: ["--listen", "127.0.0.1:0", "--tls", "cert=missing,key=missing"],
      status: 66, says: "missing"),
    Start(
      what: "a certificate that is none",
      options: ["--listen", "127.0.0.1:0", "--tls", "cert=bad,key=bad"],
      status: 65, says: "bad"),
  ]

  @Test(arguments: starts + (TLSLayer.isBuiltIn ? startsWithTLS : []))
  func `An unsafe or invalid setting ends the gateway at once with advice`(_ start: Start) throws {
    let bench = try Bench()
    try bench.write("\(Self.token)\n", "good")
    try bench.write("short\n", "bad")
    let program = try #require(Bench.program)
    let outcome = try bench.start(program, ["gateway", "--for", "100ms"] + start.options)
      .finish(within: 20)
    #expect(outcome.status == start.status, "\(outcome.errors)")
    #expect(outcome.errors.contains(start.says), "\(outcome.errors)")
    #expect(outcome.errors.lowercased().contains("error: "), "\(outcome.errors)")
    #expect(outcome.output.isEmpty)
  }

  @Test func `A port in use ends with 69 and is named`() async throws {
    let stage = try await GatewayStage(records: false)
    let address = "127.0.0.1:\(stage.port)"
    let second = try stage.bench.run("gateway", "--listen", address, "--for", "100ms")
    #expect(second.status == 69)
    #expect(second.errors.contains(address), "\(second.errors)")
    // The first gateway is not affected.
    #expect(try stage.get("/health").status == 200)
  }
}
