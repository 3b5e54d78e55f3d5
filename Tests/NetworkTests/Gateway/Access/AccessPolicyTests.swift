import NetworkTestSupport
import Testing

@testable import Network

struct AccessPolicyTests {
  private static let good = "0123456789abcdef"
  private static let other = "fedcba9876543210"
  private static let wrong = "0123456789abcdeX"

  private enum Tokens: CaseIterable, Sendable { case none, wanted, wantedOrAnonymous }

  private func policy(
    _ tokens: Tokens = .none, origins: [String] = [], isTLS: Bool = false
  ) -> AccessPolicy {
    var policy = AccessPolicy()
    if tokens != .none { policy.tokens = [.example(Self.other), .example(Self.good)] }
    policy.allowsAnonymous = tokens == .wantedOrAnonymous
    policy.allowedOrigins = origins
    policy.isTLS = isTLS
    return policy
  }

  /// 200, 401 or 403; 0 for anonymous.
  private func code(_ verdict: AccessVerdict) -> Int {
    verdict == .anonymous ? 0 : verdict.refusal?.status ?? 200
  }

  @Test(arguments: [
    ("127.0.0.1:12354", nil, 200), ("localhost", nil, 200), ("evil.example", nil, 403),
    ("127.0.0.1:12354", "http://127.0.0.1:12354", 200), ("127.0.0.1", "http://evil.example", 403),
    ("evil.example", "http://evil.example", 403), ("", nil, 403), (nil, nil, 200),
  ])
  func `A page of the dashboard requires no token, but a permitted host and origin`(
    _ host: String?, _ origin: String?, _ status: Int
  ) {
    for tokens in Tokens.allCases {
      let request = AccessRequest(origin: origin, host: host, isForPage: true)
      let verdict = policy(tokens).judgePage(request)
      #expect(code(verdict) == status, "\(tokens)")
      #expect(verdict.refusal?.message.contains("give a token") != true)
    }
  }

  @Test(
    arguments: [
      (nil, nil, nil, 200), ("none", "navigate", "document", 200),
      ("same-origin", "no-cors", "image", 200), ("cross-site", "navigate", "document", 200),
      ("cross-site", "no-cors", "image", 403), ("cross-site", "no-cors", "script", 403),
      // Another port of the same computer.
      ("same-site", "no-cors", "style", 403), ("cross-site", "navigate", "iframe", 403),
      ("cross-site", "no-cors", "empty", 403), ("cross-site", nil, nil, 403), ("x", nil, nil, 403),
      ("same-origin, cross-site", "no-cors", "image", 403),
    ] as [(String?, String?, String?, Int)])
  func `A page of another site can link to this server, and use nothing of it`(
    _ site: String?, _ mode: String?, _ destination: String?, _ status: Int
  ) {
    var request = AccessRequest(
      queryToken: Self.good, host: "127.0.0.1", isForPage: true,
      isFromOtherSite: AccessRequest.isFromOtherSite(
        site: site, mode: mode, destination: destination))
    for tokens in Tokens.allCases {
      #expect(code(policy(tokens).judge(request)) == status, "\(tokens)")
      #expect(code(policy(tokens).judgePage(request)) == status, "\(tokens)")
    }
    // The origin decides if there is one.
    request.origin = "http://turret.example"
    #expect(code(policy(origins: ["http://turret.example"]).judge(request)) == 200)
    #expect(code(policy().judge(request)) == 403)
  }

  private static let requests: [(target: String, headers: [String], wanted: Int, lax: Int)] = [
    // Without a token.
    ("/", [], 401, 0),
    ("/?x=\(good)", [], 401, 0),
    // In the header.
    ("/", ["Bearer \(good)"], 200, 200),
    ("/", ["Bearer \(other)"], 200, 200),
    ("/", ["bearer \(good)"], 200, 200),
    ("/", ["BEARER   \(good) "], 200, 200),
    ("/", ["Bearer \(wrong)"], 401, 401),
    ("/", ["Bearer"], 401, 401),
    ("/", ["Bearer "], 401, 401),
    ("/", [""], 401, 401),
    ("/", [good], 401, 401),
    ("/", ["Basic \(good)"], 401, 401),
    ("/", ["Bearer\(good)"], 401, 401),
    ("/", ["Bearer\t\(good)"], 401, 401),
    ("/", ["Bearer \(good) \(good)"], 401, 401),
    ("/", ["Bearer \(good), Bearer \(good)"], 401, 401),
    // In the query.
    ("/?token=\(good)", [], 200, 200),
    ("/events?a=b&token=%30123456789abcdef", [], 200, 200),
    ("/?token=\(wrong)", [], 401, 401),
    ("/?token=", [], 401, 401),
    ("/?token", [], 401, 401),
    ("/?token=\(good)%", [], 401, 401),
    ("/?token=\(good)%00", [], 401, 401),
    ("/?token=\(good)&token=\(good)", [], 401, 401),
    ("/?token=\(good)&token=\(wrong)", [], 401, 401),
    // Several headers, and both.
    ("/", ["Bearer \(good)", "Bearer \(good)"], 401, 401),
    ("/", ["Bearer \(wrong)", "Bearer \(good)"], 401, 401),
    ("/?token=\(good)", ["Bearer \(good)"], 200, 200),
    ("/?token=\(good)", ["Bearer \(wrong)"], 401, 401),
    ("/?token=\(wrong)", ["Bearer \(good)"], 401, 401),
    // Each is valid, but not together.
    ("/?token=\(other)", ["Bearer \(good)"], 401, 401),
    ("/?token=\(good)", ["Basic xyz"], 401, 401),
    ("/?token=\(good)&token=\(good)", ["Bearer \(good)"], 401, 401),
  ]

  @Test(arguments: requests)
  func `A right token is accepted, a wrong one never, a missing one only if permitted`(
    target: String, headers: [String], wanted: Int, lax: Int
  ) throws {
    let request = AccessRequest(
      target: try #require(RequestTarget(target)), authorization: headers, origin: nil,
      host: "a.example")
    #expect(code(policy(.none).judge(request)) == 200)
    #expect(code(policy(.wanted).judge(request)) == wanted)
    #expect(code(policy(.wantedOrAnonymous).judge(request)) == lax)
  }

  @Test func `A refusal does not reveal the token`() {
    for request in [
      AccessRequest(queryToken: Self.wrong), AccessRequest(authorization: ["Bearer \(Self.wrong)"]),
      AccessRequest(authorization: ["Basic \(Self.wrong)"]),
    ] {
      let message = policy(.wanted).judge(request).refusal?.message ?? Self.wrong
      #expect(![Self.wrong, Self.good, Self.other].contains { message.contains($0) })
    }
  }

  @Test(
    arguments: [
      // Not a browser.
      (nil, "a.example", [], true),
      (nil, nil, [], true),
      // Listed.
      ("https://a.example", "turret.example", ["https://a.example"], true),
      ("HTTPS://A.example:443", "x", ["https://a.example"], true),
      ("https://a.example", "x", ["https://b.example", "https://A.EXAMPLE:443"], true),
      ("http://a.example", "x", ["https://a.example"], false),
      ("https://a.example:8443", "x", ["https://a.example"], false),
      ("https://b.a.example", "x", ["https://a.example"], false),
      ("https://a.example.evil.example", "x", ["https://a.example"], false),
      ("https://a.example", "x", [], false),
      ("https://a.example", nil, [], false),
      ("https://a.example", "x", ["*"], false),
      // Not origins, whatever is listed.
      ("https://a.example/", "x", ["https://a.example/", "https://a.example"], false),
      ("", "x", ["", "https://a.example"], false),
      ("https://a.example, https://a.example", "x", ["https://a.example"], false),
      // Hidden ones.
      ("null", "x", [], false),
      ("null", "127.0.0.1", ["https://a.example"], false),
      ("null", "x", ["null"], true),
      ("NULL", "x", ["null"], false),
      ("https://a.example", "x", ["null"], false),
      // From the server itself.
      ("http://127.0.0.1:12354", "127.0.0.1:12354", [], true),
      ("http://[::1]:12354", "[::1]:12354", [], true),
      ("http://192.168.1.20", "192.168.1.20:80", [], true),
      ("http://localhost:12354", "LOCALHOST:12354", [], true),
      ("http://turret.local:12354", "turret.local:12354", [], true),
      ("http://TURRET.local:12354", "Turret.Local:12354", [], true),
      ("http://given.local", "given.local", [], true),
      // Any computer on the network can answer for these.
      ("http://other.local:12354", "other.local:12354", [], false),
      ("http://turret.turret.local", "turret.turret.local", [], false),
      ("http://other.local", "other.local", ["http://other.local"], true),
      ("http://other.local", "turret.local", [], false),
      ("http://localhost:3000", "localhost:12354", [], false),
      ("http://localhost:12354", "127.0.0.1:12354", [], false),
      ("https://localhost:12354", "localhost:12354", [], false),
      // From a client that sends the address that it opens.
      ("ws://127.0.0.1:12354", "127.0.0.1:12354", [], true),
      ("WS://LocalHost:12354", "localhost:12354", [], true),
      ("ws://192.168.1.20", "192.168.1.20:80", [], true),
      ("wss://192.168.1.20", "192.168.1.20:443", [], true),
      ("wss://turret.local:12354", "turret.local:12354", [], true),
      ("ws://[::1]:12354", "[::1]:12354", [], true),
      ("ws://[2001:DB8::5]:12354", "2001:db8::5:12354", [], true),
      ("ws://a.example:12354", "a.example:12354", ["ws://a.example:12354"], true),
      ("ws://127.0.0.1:12355", "127.0.0.1:12354", [], false),
      ("ws://127.0.0.1", "127.0.0.1:12354", [], false),
      ("wss://127.0.0.1", "127.0.0.1:80", [], false),
      ("ws://127.0.0.1:12354", "localhost:12354", [], false),
      ("ws://127.0.0.1:12354", "192.168.1.20:12354", [], false),
      ("ws://127.0.0.1:12354", nil, [], false),
      ("ws://127.0.0.1:12354/", "127.0.0.1:12354", [], false),
      ("ws://127.0.0.1.:12354", "127.0.0.1.:12354", [], false),
      ("ws://localhost.:12354", "localhost.:12354", [], false),
      ("ws://2130706433:12354", "2130706433:12354", [], false),
      ("ws://0x7f.1:12354", "0x7f.1:12354", [], false),
      ("ws://127.0.0.1:78890", "127.0.0.1:78890", [], false),
      ("ws://127.0.0.1:", "127.0.0.1:", [], false),
      ("ws://user@127.0.0.1:12354", "127.0.0.1:12354", [], false),
      ("ws://127.0.0.1:12354, ws://127.0.0.1:12354", "127.0.0.1:12354", [], false),
      ("ws://127.0.0.1:12354", "127.0.0.1:12354, 127.0.0.1:12354", [], false),
      ("ws://[::1]:12354", "::1", [], false),
      ("ws://[::2]:12354", "::1:12354", [], false),
      ("ws://::1:12354", "::1:12354", [], false),
      ("ws://[::1]:12354", "[::1:12354", [], false),
      ("ws://evil.example:12354", "127.0.0.1:12354", [], false),
      ("ws://evil.example:12354", "evil.example:12354", [], false),
      ("ws://127.0.0.1.evil.example:1", "127.0.0.1.evil.example:1", [], false),
      ("ws://other.local:12354", "other.local:12354", [], false),
      ("wsx://127.0.0.1:12354", "127.0.0.1:12354", [], false),
      ("http://[::1]:12354", "::1:12354", [], false),
      // A name that somebody else made to point here.
      ("http://evil.example:12354", "evil.example:12354", [], false),
      ("http://127.0.0.1.evil.example:12354", "127.0.0.1.evil.example:12354", [], false),
      ("http://localhost.evil.example", "localhost.evil.example", [], false),
      // Not hosts.
      ("http://127.0.0.1:12354", nil, [], false),
      ("http://127.0.0.1:12354", "127.0.0.1:12354, 127.0.0.1:12354", [], false),
      ("http://127.0.0.1:12354", "x@127.0.0.1:12354", [], false),
      ("http://127.0.0.1:12354", "http://127.0.0.1:12354", [], false),
    ] as [(String?, String?, [String], Bool)])
  func `A page is accepted if its origin is listed or is this server`(
    origin: String?, host: String?, listed: [String], isLetIn: Bool
  ) {
    var policy = policy(origins: listed)
    policy.localName = "Turret.local"
    policy.ownHosts = ["0.0.0.0", "Given.local", "given.example"]
    let verdict = policy.judge(AccessRequest(origin: origin, host: host))
    #expect(code(verdict) == (isLetIn ? 200 : 403))
  }

  @Test(
    arguments: [
      (nil, [], true), ("127.0.0.1:12354", [], true), ("[::1]:12354", [], true),
      ("192.168.1.20", [], true), ("LOCALHOST:12354", [], true), ("turret.local", [], true),
      ("TURRET.local:12354", [], true), ("given.local", [], true),
      ("other.local", ["http://other.local"], true),
      ("pi.lan:12354", [], true), ("PI.lan", [], true),
      ("turret.example", ["https://turret.example"], true),
      ("turret.example:12354", ["https://turret.example"], true),
      // A name that somebody else made to point here.
      ("evil.example:12354", [], false), ("evil.example", ["https://turret.example"], false),
      ("127.0.0.1.evil.example", [], false), ("pi.lan.evil.example", [], false),
      ("localhost.evil.example:12354", ["null", "*"], false), ("127.1", [], false),
      // Any computer on the network can answer for these.
      ("other.local", [], false), ("local", [], false), ("a.turret.local", [], false),
      // Not hosts.
      ("", [], false), ("127.0.0.1, 127.0.0.1", [], false), ("x@127.0.0.1", [], false),
    ] as [(String?, [String], Bool)])
  func `A page is served under the server's own names only`(
    host: String?, listed: [String], isLetIn: Bool
  ) {
    for tokens in Tokens.allCases {
      var policy = policy(tokens, origins: listed)
      policy.ownHosts = ["Pi.LAN", "0.0.0.0", "Given.local"]
      policy.localName = "turret.local"
      let stranger = code(policy.judge(AccessRequest(host: host, isForPage: true)))
      let letIn = tokens == .none ? 200 : 0
      #expect(stranger == (tokens == .wanted ? 401 : isLetIn ? letIn : 403))
      // A browser sends the origin of a WebSocket's page, and a client with a token is trusted.
      let socket = AccessRequest(host: host, isForPage: false)
      #expect(code(policy.judge(socket)) == (tokens == .wanted ? 401 : letIn))
      let known = AccessRequest(queryToken: Self.good, host: host, isForPage: true)
      if tokens != .none { #expect(policy.judge(known) == .allowed) }
    }
  }

  @Test func `A client that uses an unknown name is told how to allow it`() {
    for (tokens, wantsToken) in [(Tokens.none, false), (.wantedOrAnonymous, true)] {
      let request = AccessRequest(host: "PI:12354", isForPage: true)
      let message = policy(tokens).judge(request).refusal?.message ?? ""
      #expect(message.contains("IP address") && message.contains("`--allow origin=http://pi`"))
      #expect(message.contains("give a token") == wantsToken)
    }
  }

  @Test func `Over TLS the server's own pages use https`() {
    var policy = policy(isTLS: true)
    policy.localName = "turret.local"
    let request = { AccessRequest(origin: $0, host: "turret.local") }
    #expect(policy.judge(request("https://turret.local")) == .allowed)
    #expect(code(policy.judge(request("http://turret.local"))) == 403)
    #expect(code(policy.judge(request("https://turret.local:80"))) == 403)
  }

  @Test func `A host in the request target overrides the Host header`() throws {
    let target = try #require(RequestTarget("http://evil.example/"))
    let request = AccessRequest(
      target: target, authorization: [], origin: "http://127.0.0.1", host: "127.0.0.1")
    #expect(code(policy().judge(request)) == 403)
  }

  @Test func `A foreign page is forbidden with the right token and without one`() {
    let foreign = "https://evil.example"
    for tokens in Tokens.allCases {
      let policy = policy(tokens)
      #expect(
        code(policy.judge(AccessRequest(queryToken: Self.good, origin: foreign, host: "x"))) == 403)
      #expect(code(policy.judge(AccessRequest(origin: foreign, host: "x"))) == 403)
    }
  }

  @Test func `A listed page requires a token like any other client`() {
    let policy = policy(.wanted, origins: ["https://a.example"])
    let origin = "https://a.example"
    #expect(policy.judge(AccessRequest(queryToken: Self.good, origin: origin)) == .allowed)
    #expect(code(policy.judge(AccessRequest(queryToken: Self.wrong, origin: origin))) == 401)
    #expect(code(policy.judge(AccessRequest(origin: origin))) == 401)
  }
}
