#if os(Linux)
  import Platform
  import SentryBenchTesting
  import Testing

  /// What turrets leave behind. It is counted in a separate process, because other tests open
  /// descriptors too.
  @Suite struct LeakTests {
    @Test func `No descriptor and no thread of a turret remains`() async {
      await #expect(processExitsWith: .success) {
        struct Mistake: Error {}
        func use(_ count: Int) async throws {
          for _ in 0..<count {
            try await Turret.run { turret in
              let port = open(turret.port, O_RDWR | O_NOCTTY)
              try await turret.send("X110.")
              try await turret.expect(.servo(110))
              close(port)
            }
            try? await Turret.run { _ in throw Mistake() }
            try VirtualTurret().run(until: .seconds(1))
          }
        }
        try await use(3)
        let (descriptors, threads) = (entryCount("/proc/self/fd"), entryCount("/proc/self/task"))
        try await use(20)
        // The pool of the concurrency runtime can grow a little.
        try #require(entryCount("/proc/self/fd") <= descriptors + 2)
        try #require(entryCount("/proc/self/task") <= threads + 5)
      }
    }

    @Test func `A turret leaves the process's signals as they were`() async {
      await #expect(processExitsWith: .success) {
        let numbers = [SIGINT, SIGTERM, SIGHUP, SIGQUIT, SIGCHLD, SIGCONT, SIGTSTP]
        let before = numbers.map(isHandled)
        try await Turret.run { turret in
          try await turret.send("L")
          try #require(numbers.map(isHandled) == before)
        }
        try #require(numbers.map(isHandled) == before)
      }
    }
  }

  /// Returns the number of entries of a folder.
  private func entryCount(_ folder: String) -> Int {
    guard let entries = opendir(folder) else { return 0 }
    defer { closedir(entries) }
    var count = 0
    while readdir(entries) != nil { count += 1 }
    return count
  }

  /// Whether a signal has a disposition other than the default.
  private func isHandled(_ number: CInt) -> Bool {
    var action = sigaction()
    _ = sigaction(number, nil, &action)
    return unsafeBitCast(action.__sigaction_handler.sa_handler, to: Int.self) != 0
  }
#endif
