#if os(Linux)
  import Platform

  extension KeepAlive {
    /// Sends a probe each second after a time of silence, and ends the connection after this many
    /// unanswered ones.
    static func probes(idleSeconds: Int, count: Int) -> [(Option, Int)] {
      [
        (Option(level: SOL_SOCKET, name: SO_KEEPALIVE), 1),
        (Option(level: CInt(IPPROTO_TCP), name: TCP_KEEPIDLE), idleSeconds),
        (Option(level: CInt(IPPROTO_TCP), name: TCP_KEEPINTVL), 1),
        (Option(level: CInt(IPPROTO_TCP), name: TCP_KEEPCNT), count),
      ]
    }

    /// How long written data can remain unacknowledged.
    static func writes(milliseconds: Int) -> [(Option, Int)] {
      [(Option(level: CInt(IPPROTO_TCP), name: TCP_USER_TIMEOUT), milliseconds)]
    }
  }
#endif
