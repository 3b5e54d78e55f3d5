/// Scripts for programs that real senders use, which write to the port in `SENTRY_PORT`.
enum SenderScript {
  /// Opens the port with pyserial and these options, and runs a body, in which `s` is the port and
  /// `say` writes one command.
  static func pyserial(_ options: String = "9600", _ body: String) -> String {
    """
    import os, random, serial, time
    s = serial.Serial(os.environ["SENTRY_PORT"], \(options))
    def say(text):
        s.write(text.encode("latin-1"))
        s.flush()
    random.seed(7)
    \(body)
    s.close()
    """
  }

  /// Aims at the rate of a camera, in bursts between which the target is lost and found again.
  static let cameraRate = """
    for frame in range(45):
        say("X%d." % random.randint(0, 180))
        if frame % 15 == 14:
            say("L" + "".join("X%d." % a for a in (10, 100, 170)))
        time.sleep(1 / 60)
    """

  /// Sends truncated numbers, junk, every possible byte, and two commands in one write.
  static let rough = """
    for text in ("X120", "X45", "X9X45.", "L\\r\\n", "X-5.", "X65546.", "LX50.X60.X70.L"):
        say(text)
        time.sleep(random.choice((0, 0.002, 0.09)))
    say("".join(map(chr, range(256))))
    time.sleep(0.3)
    say(".X90.")
    """

  /// Sends queries, and reads the board's replies with timeouts.
  static let asking = """
    s.reset_input_buffer()
    say("VX45.")
    answers = [s.read(11)]
    for angle in (10, 80, 150):
        say("X%d.?" % angle)
        answers.append(s.read_until(b"\\n"))
    say("L")
    answers.append(s.read(33))
    assert all(answers), answers
    """

  /// Presses one key after the other, as a person types, and then quits the program.
  static func expect(_ start: String, leave: String) -> String {
    """
    set timeout 20
    log_user 0
    spawn -noecho \(start)
    sleep 0.3
    foreach key [split "X45.LX120.L?" ""] {
      send -- $key
      sleep 0.03
    }
    sleep 0.2
    send "\(leave)"
    expect eof
    exit [lindex [wait] 3]
    """
  }

  static let picocom = expect(
    "picocom -q -b 9600 --flow n $env(SENTRY_PORT)", leave: "\\x01\\x18")
  static let tio = expect("tio -b 9600 $env(SENTRY_PORT)", leave: "\\x14q")

  static let socat = """
    (printf X45.; sleep 0.2; printf LX30.; sleep 0.3; printf 'X150.L') |
      socat -u - "$SENTRY_PORT",raw,echo=0,b9600
    """

  static func stty(_ text: String) -> String {
    """
    stty \(Tool.isLinux ? "-F" : "-f") "$SENTRY_PORT" 9600 raw -echo
    for text in \(text); do printf '%s' "$text" > "$SENTRY_PORT"; sleep 0.15; done
    """
  }
}
