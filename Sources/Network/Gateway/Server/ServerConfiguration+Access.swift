import NIOHTTP1

extension ServerConfiguration {
  /// Makes an access policy decide on every request.
  package mutating func authorize(by policy: AccessPolicy) {
    authorize = { head in Self.judge(head) { policy.judge($0) } }
    authorizePage = { head in Self.judge(head) { policy.judgePage($0) } }
  }

  private static func judge(
    _ head: HTTPRequestHead, by judge: (AccessRequest) -> AccessVerdict
  ) -> (status: Int, message: String)? {
    guard let target = RequestTarget(head.uri) else { return (400, "invalid request target") }
    // If a header that is allowed once occurs several times, the joined values are invalid.
    func joined(_ name: String) -> String? {
      let values = head.headers[name]
      return values.isEmpty ? nil : values.joined(separator: ", ")
    }
    let request = AccessRequest(
      target: target, authorization: head.headers["authorization"], origin: joined("origin"),
      host: joined("host"), isForPage: !head.headers.contains(name: "upgrade"),
      isFromOtherSite: AccessRequest.isFromOtherSite(
        site: joined("sec-fetch-site"), mode: joined("sec-fetch-mode"),
        destination: joined("sec-fetch-dest")))
    return judge(request).refusal
  }
}
