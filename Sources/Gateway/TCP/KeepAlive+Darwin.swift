#if canImport(Darwin)
  import Darwin

  extension KeepAlive {
    /// A probe each second after a time of silence, and the end after so many unanswered.
    static func probes(idleSeconds: Int, count: Int) -> [(Option, Int)] {
      [
        (Option(level: SOL_SOCKET, name: SO_KEEPALIVE), 1),
        (Option(level: IPPROTO_TCP, name: TCP_KEEPALIVE), idleSeconds),
        (Option(level: IPPROTO_TCP, name: TCP_KEEPINTVL), 1),
        (Option(level: IPPROTO_TCP, name: TCP_KEEPCNT), count),
      ]
    }

    /// How long what was written may stay without acknowledgement.
    static func writes(milliseconds: Int) -> [(Option, Int)] {
      [(Option(level: IPPROTO_TCP, name: TCP_RXT_CONNDROPTIME), max(milliseconds / 1_000, 1))]
    }
  }
#endif
