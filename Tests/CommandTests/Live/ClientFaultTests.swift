import Foundation
import Platform
import TestSupport
import Testing

/// Mistakes of senders, and their effects on the port.
@Suite(
  .ownThread,
  .enabled(if: Tool.isLinux, "openings are noticed by inotify, descriptors counted in /proc"))
struct ClientFaultTests {
  @Test func `A sender that is killed in mid-number leaves a port that the next one can use`()
    async throws
  {
    let stage = try Stage()
    try await stage.ready()
    let sender = try stage.bench.start(
      "/bin/sh", ["-c", "exec 3>port; printf X12 >&3; kill -KILL $$"])
    #expect(try sender.finish().status == 137)
    try await stage.recorded(#""rx""#)
    try stage.write("X45.")
    try await stage.recorded(#""servo", 45"#)
    stage.send(SIGTERM)
    let outcome = try await stage.end()
    #expect(outcome.status == 143)
    #expect(!stage.recording.contains(#""servo", 12,"#))
    try stage.expectSameReplay(outcome)
  }

  @Test(.enabled(if: Tool.areExpected(.pyserial), "no python3"))
  func `Ten senders that open and close a thousand times each leave nothing behind`() async throws {
    let stage = try Stage()
    try await stage.ready()
    try stage.write("X30.")
    try await stage.recorded(#""servo", 30"#)
    let before = descriptors(of: stage)
    let python = try #require(Tool.pyserial.path)
    let senders = try stage.bench.start(
      python,
      [
        "-c",
        """
        import os, threading
        def work(number):
            for turn in range(1000):
                port = os.open("port", os.O_RDWR | os.O_NOCTTY)
                if turn % 100 == number: os.write(port, b"X%d." % (10 * number))
                os.close(port)
        threads = [threading.Thread(target=work, args=(n,)) for n in range(10)]
        for thread in threads: thread.start()
        for thread in threads: thread.join()
        """,
      ])
    try await Stage.wait("the senders") { !senders.isRunning }
    #expect(try senders.finish().status == 0)
    try stage.write("X77.")
    try await stage.recorded(#""servo", 77"#)
    #expect(descriptors(of: stage) == before)
    // Idle again: a loop that does not wait would use nearly all of these 40 ticks.
    let busy = try processorTicks(of: stage)
    try await Task.sleep(for: .milliseconds(400))
    let ticks = try processorTicks(of: stage) - busy
    #expect(ticks < 20, "\(ticks) ticks")
    stage.send(SIGTERM)
    let outcome = try await stage.end()
    #expect(outcome.status == 143)
    try stage.expectSameReplay(outcome)
  }

  @Test(.enabled(if: Tool.areExpected(.pyserial), "no python3"))
  func `A sender that never reads is reported once, and the bench continues and counts`()
    async throws
  {
    // Unread output must fill the kernel's buffer. That takes long at 9600 baud, so the board is
    // faster.
    let stage = try Stage(
      options: ["--baud", "1000000"],
      command: [
        try #require(Tool.pyserial.path), "-c",
        """
        import os, time
        port = os.open(os.environ["SENTRY_PORT"], os.O_RDWR | os.O_NOCTTY)
        recording = open("record.jsonl")
        # Far more bytes of output than the kernel keeps. On a loaded machine, the board loses
        # most of the questions, and the recording consists mainly of these.
        count = 0
        while count < 30000:
            os.write(port, b"?")
            time.sleep(0.0005)
            count += recording.read().count('"tx"')
        text = ""
        while '"servo", 45' not in text:
            os.write(port, b"X45.")
            time.sleep(0.05)
            text = text[-100:] + recording.read()
        """,
      ])
    let outcome = try await stage.end()
    #expect(outcome.status == 0)
    let told = "The sender does not read the board's output; it is lost from here on."
    #expect(outcome.errors.components(separatedBy: told).count == 2, "\(outcome.errors)")
    #expect(outcome.errors.contains("bytes that no sender read"))
    #expect(stage.recording.contains(#""servo", 45"#))
    try stage.expectSameReplay(outcome)
  }

  @Test func `Bytes of two simultaneous senders arrive, each in its own order`() async throws {
    let stage = try Stage(command: [
      "/bin/sh", "-c",
      """
      send() { for n in 1 2 3 4 5 6 7 8 9; do printf %s "$1$n"; sleep 0.02; done >"$SENTRY_PORT"; }
      send a & send b & wait
      """,
    ])
    let outcome = try await stage.end()
    #expect(outcome.status == 0)
    let received = try receivedBytes(stage.recording)
    for sender in ["a", "b"] {
      let rest = received.replacing(sender == "a" ? "b" : "a", with: "")
      #expect(received.count == 36)
      // The other sender's digits can come in between, but its own letters and digits stay in
      // order.
      var next = received.makeIterator()
      for expected in (1...9).map({ "\(sender)\($0)" }).joined() {
        var found: Character?
        repeat { found = next.next() } while found != nil && found != expected
        #expect(found == expected, "\(received)")
      }
      #expect(rest.filter { $0.isLetter }.count == 9)
    }
    try stage.expectSameReplay(outcome)
  }

  @Test(
    .enabled(if: Tool.areExpected(.pyserial), "no python3"),
    .enabled(if: getuid() == 0, "the sender's claim binds all but root, which only root can become")
  )
  func `A sender that claims exclusive use of the port does not end the bench`() async throws {
    // TIOCEXCL does not keep root out, so neither process may be root.
    let stage = try Stage(
      options: ["--for", "1.5s"],
      command: [
        try #require(Tool.publicPython), "-c",
        """
        import fcntl, os, termios, time
        port = os.open(os.environ["SENTRY_PORT"], os.O_RDWR | os.O_NOCTTY)
        fcntl.ioctl(port, termios.TIOCEXCL)
        os.write(port, b"?" * 3000)
        time.sleep(0.3)
        """,
      ], shell: "chmod 777 . && exec setpriv --reuid 65534 --clear-groups \"$0\" \"$@\"")
    let outcome = try await stage.end()
    try #require(!outcome.errors.contains("setpriv"), "\(outcome.errors)")
    #expect(outcome.status == 0, "\(outcome.errors)")
    try stage.expectSameReplay(outcome)
  }

  @Test(
    .enabled(if: Tool.areExpected(.pyserial), "no python3"),
    .enabled(if: getuid() == 0, "the sender's claim binds all but root, which only root can become")
  )
  func `The claim of a killed sender does not keep out the next one`() async throws {
    let stage = try Stage(
      command: [
        try #require(Tool.publicPython), "-c",
        """
        import fcntl, os, signal, termios, time
        for text in b"X45.", b"X50.", b"X55.":
            child = os.fork()
            if child == 0:
                # The port is refused until the bench has noticed that the one before is gone.
                for attempt in range(2000):
                    try:
                        port = os.open(os.environ["SENTRY_PORT"], os.O_RDWR | os.O_NOCTTY)
                        break
                    except OSError:
                        time.sleep(0.01)
                fcntl.ioctl(port, termios.TIOCEXCL)
                os.write(port, text)
                os.kill(os.getpid(), signal.SIGKILL)
            assert os.waitpid(child, 0)[1] == signal.SIGKILL
        """,
      ], shell: "chmod 777 . && exec setpriv --reuid 65534 --clear-groups \"$0\" \"$@\"")
    let outcome = try await stage.end()
    try #require(!outcome.errors.contains("setpriv"), "\(outcome.errors)")
    #expect(outcome.status == 0, "\(outcome.errors)")
    #expect(try receivedBytes(stage.recording) == "X45.X50.X55.")
    try stage.expectSameReplay(outcome)
  }

  private func descriptors(of stage: Stage) -> [String] {
    let folder = "/proc/\(stage.identifier)/fd"
    let names = (try? FileManager.default.contentsOfDirectory(atPath: folder)) ?? []
    return names.compactMap {
      try? FileManager.default.destinationOfSymbolicLink(atPath: "\(folder)/\($0)")
    }.sorted()
  }

  /// Returns the used processor time in clock ticks of 10 ms.
  private func processorTicks(of stage: Stage) throws -> Int {
    let text = try String(contentsOfFile: "/proc/\(stage.identifier)/stat", encoding: .utf8)
    // The text after the name in parentheses. `utime` and `stime` are the 14th and 15th field.
    let fields = try #require(text.split(separator: ")").last).split(separator: " ")
    return try #require(Int(fields[11])) + #require(Int(fields[12]))
  }

  private func receivedBytes(_ trace: String) throws -> String {
    try trace.split(separator: "\n").filter { $0.contains(#""rx""#) }
      .map { line in
        let event = try JSONSerialization.jsonObject(with: Data(line.utf8)) as? [Any]
        return try #require(event?.last as? String)
      }.joined()
  }
}
