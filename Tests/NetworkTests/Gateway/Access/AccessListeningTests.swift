import Engine
import Network
import NetworkTestSupport
import Testing

struct AccessListeningTests {
  private static let here = ["127.0.0.1:12354", "127.0.0.53:53", "localhost:80", "[::1]:12354"]
  private static let beyond = [
    "0.0.0.0:12354", "[::]:12354", "192.168.1.20:80", "turret.local:80", "127.example:80",
    "127.0.0.1.evil.example:80", "[fe80::1]:80",
  ]

  private func policy(
    tokens: Bool = false, anonymous: Bool = false, isTLS: Bool = false, origins: [String] = []
  ) -> AccessPolicy {
    var policy = AccessPolicy()
    if tokens { policy.tokens = [.example("0123456789abcdef")] }
    policy.allowsAnonymous = anonymous
    policy.isTLS = isTLS
    policy.allowedOrigins = origins
    return policy
  }

  /// One letter per warning: a for anonymous, t for TCP that anybody can reach, p for plain text, l
  /// for local TCP, n for null; or the error.
  private func check(
    _ policy: AccessPolicy, _ address: String, _ transport: Transport
  ) throws -> (letters: String, error: NetworkError?) {
    let endpoint = try #require(Endpoint(address))
    do {
      let letters = try policy.check(listening: endpoint, transport: transport).map { warning in
        #expect(warning.contains("null") || warning.contains(endpoint.description))
        return warning.contains("accepts clients without")
          ? "a"
          : warning.contains("plain text")
            ? "p"
            : warning.contains("null")
              ? "n"
              : !warning.hasPrefix("bare TCP has no access control: ")
                ? "?" : warning.contains("on this computer") ? "l" : "t"
      }
      return (letters.joined(), nil)
    } catch {
      #expect(error.code == .usage)
      return ("error", error)
    }
  }

  private static let table:
    [(tokens: Bool, anonymous: Bool, isTLS: Bool, webSocket: String, tcp: String, here: String)] = [
      (false, false, false, "error", "error", ""),
      (false, false, true, "error", "error", ""),
      (false, true, false, "a", "t", ""),
      (false, true, true, "a", "t", ""),
      (true, false, false, "p", "error", "l"),
      (true, false, true, "", "error", "l"),
      (true, true, false, "ap", "t", ""),
      (true, true, true, "a", "t", ""),
    ]

  @Test(arguments: table)
  func `An address that others can reach requires tokens or an explicit choice of none`(
    tokens: Bool, anonymous: Bool, isTLS: Bool, webSocket: String, tcp: String, here: String
  ) throws {
    let policy = policy(tokens: tokens, anonymous: anonymous, isTLS: isTLS)
    for address in Self.beyond {
      #expect(try check(policy, address, .webSocket).letters == webSocket, "\(address)")
      #expect(try check(policy, address, .tcp).letters == tcp, "\(address)")
    }
    for address in Self.here {
      #expect(try check(policy, address, .webSocket).letters == "", "\(address)")
      #expect(try check(policy, address, .tcp).letters == here, "\(address)")
    }
  }

  @Test func `Each start warns once that bare TCP has no access control`() throws {
    for (tokens, anonymous) in [(false, false), (false, true), (true, false), (true, true)] {
      let policy = policy(tokens: tokens, anonymous: anonymous)
      for address in Self.here + Self.beyond {
        let endpoint = try #require(Endpoint(address))
        guard let warnings = try? policy.check(listening: endpoint, transport: .tcp) else {
          continue
        }
        let note = policy.note(listening: endpoint, transport: .tcp)
        let said = warnings + [note].compactMap(\.self)
        #expect(said.count == 1, "\(address)")
        #expect(said.first?.hasPrefix("bare TCP has no access control: any program ") == true)
        #expect(said.first?.contains(address) == true)
        #expect(policy.note(listening: endpoint, transport: .webSocket) == nil)
      }
    }
  }

  @Test func `A port that is not chosen yet is not printed`() throws {
    let notices = ["127.0.0.1:0", "[::1]:0"].compactMap {
      policy().note(listening: Endpoint($0)!, transport: .tcp)
    }
    #expect(notices.count == 2)
    #expect(notices.allSatisfy { !$0.contains(":0") && $0.hasSuffix("1") })
  }

  @Test func `The error names the options to use`() throws {
    let webSocket = try #require(try check(policy(), "0.0.0.0:1", .webSocket).error)
    for part in ["0.0.0.0:1", "--token-file FILE", "--allow anonymous"] {
      #expect(webSocket.description.contains(part))
    }
    let tcp = try #require(try check(policy(tokens: true), "[::]:1", .tcp).error)
    for part in ["[::]:1", "cannot send a token", "--allow anonymous", "127.0.0.1"] {
      #expect(tcp.description.contains(part))
    }
  }

  @Test(arguments: ["*", "a.example", "https://a.example/", "", "NULL", "https://a b"])
  func `A value that is not an origin cannot be allowed`(text: String) throws {
    let policy = policy(origins: ["https://fine.example", text])
    let error = try #require(try check(policy, "127.0.0.1:1", .webSocket).error)
    #expect(error.description.hasPrefix("error: --allow origin=\(text): "))
    // No browser speaks bare TCP.
    #expect(try check(policy, "127.0.0.1:1", .tcp).letters == "")
  }

  @Test func `Allowing null always gives a warning`() throws {
    let policy = policy(tokens: true, isTLS: true, origins: ["null", "https://a.example:8443"])
    #expect(try check(policy, "127.0.0.1:1", .webSocket).letters == "n")
    #expect(try check(policy, "0.0.0.0:1", .webSocket).letters == "n")
  }
}
