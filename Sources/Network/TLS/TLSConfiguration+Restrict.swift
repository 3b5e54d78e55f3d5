#if TLS
  import NIOCore
  import NIOSSL
  import Sketches

  extension TLSConfiguration {
    /// The cipher suites of TLS 1.2 that are as secure as TLS 1.3: they use a separate key for each
    /// connection, so that a stolen certificate key does not reveal recorded data, and
    /// authenticated encryption.
    private static let forwardSecret: [NIOTLSCipher] = [
      .TLS_ECDHE_ECDSA_WITH_AES_128_GCM_SHA256, .TLS_ECDHE_RSA_WITH_AES_128_GCM_SHA256,
      .TLS_ECDHE_ECDSA_WITH_AES_256_GCM_SHA384, .TLS_ECDHE_RSA_WITH_AES_256_GCM_SHA384,
      .TLS_ECDHE_ECDSA_WITH_CHACHA20_POLY1305_SHA256, .TLS_ECDHE_RSA_WITH_CHACHA20_POLY1305_SHA256,
    ]

    /// The settings common to both ends: TLS 1.2 or later with forward secrecy, HTTP/1.1 for
    /// WebSockets, and `closeTime` for a TLS shutdown.
    mutating func restrict(closeTime: Interval) {
      minimumTLSVersion = .tlsv12
      cipherSuiteValues = Self.forwardSecret
      applicationProtocols = ["http/1.1"]
      shutdownTimeout = .init(closeTime)
    }
  }
#endif
