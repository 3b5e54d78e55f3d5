/// What people try who know other tools, and what it is called here. The habits are those of
/// arduino-cli, avrdude, screen, socat, pytest, simavr, PlatformIO and wokwi-cli.
enum Guesses {
  /// Guessed options, and the options that can be meant, the likeliest first. Of these, those count
  /// that the command has. A word after an option is a value that fits.
  static let options: [(guesses: [String], meant: [String])] =
    [
      // Outputs.
      (
        "--out --outfile --output-file --file --save --write --svg -w",
        "--output --record --report --junit"
      ),
      ("--output-dir --outdir --results", "--artifacts --output --record"),
      ("--log-file --logfile --serial-log-file --capture --dump -L", "--record --output"),
      ("--junitxml --junit-xml --junit-report --xml", "--junit"),
      ("--html --html-report --web-report", "--report --output"),
      ("--image --png --screenshot --draw", "--picture --output --report"),
      ("--vcd --vcd-file --trace-file --format", "--to --record --output --json"),
      ("--overwrite --yes --replace -y -f", "--force"),
      ("--silent --no-progress", "--quiet"),
      ("--debug --info --loglevel --log-level -d", "--verbose"),
      // The board and its port.
      (
        "--port --upload-port --monitor-port --serial --serial-port --tty --com -p -P",
        "--device=serial:PATH --pty --to"
      ),
      ("--link --symlink --pty-path --path", "--pty"),
      ("--baudrate --baud-rate --speed --bps --monitor-speed -b -s", "--baud"),
      ("--no-dtr --hupcl --noreset --no-restart -D", "--no-reset"),
      ("--dtr --reset --autoreset --auto-reset", "--reset-on-open"),
      ("--bootloader-time --reset-delay", "--boot-time"),
      // The sketch and the chip.
      (
        "--elf --hex --flash --image-file --program --binary --bin --input-file -U",
        "--device=avr:FILE"
      ),
      ("--board --fqbn --simulate --emulate --model --environment -e", "--device=avr:FILE --chip"),
      ("--sketch --build --ino", "--firmware --device=avr:FILE"),
      ("--mcu --cpu --part -m", "--chip"),
      ("--freq --frequency --f-cpu --fcpu --mhz --hz", "--clock"),
      ("--servo-pin --gpio --digital", "--pin"),
      ("--watch --watch-pins --signals --levels", "--pins"),
      ("--rx --rxpin --software-rx", "--rx-pin --rx-channel"),
      ("--tx --txpin --software-tx", "--tx-pin --tx-channel"),
      ("--button --input-pin --digital-in --pull", "--set"),
      ("--voltage --adc --analog-in --pot", "--analog"),
      ("--i2c --twi --peripheral --wire --diagram --diagram-file --component", "--attach"),
      ("--noise", "--adc-noise"),
      // Sessions.
      ("--duration --seconds --time --length --run-for -t", "--for --timeout"),
      ("--max-time --deadline --time-limit --time-out", "--timeout --budget"),
      ("--input --data --bytes --message --write-data --stdin", "--send"),
      (
        "--drop --loss --faults --error-rate --inject --disturb --jitter --corrupt --noise-level",
        "--fault"
      ),
      ("--random-seed --rng --rng-seed --randomly-seed", "--seed"),
      ("--begin --start --skip --offset", "--since"),
      ("--end --stop --stop-at", "--until"),
      ("--web --browser --ui --gui --dashboard --page", "--http"),
      ("--ws --wss --socket --websockets", "--websocket --listen"),
      ("--host --bind --address --addr --server", "--listen --http --websocket --serve"),
      ("--token --auth --password --secret", "--token-file"),
      ("--cert --ssl --https --key", "--tls"),
      ("--anonymous --no-auth --insecure", "--allow=anonymous"),
      // Judging and suites.
      ("--golden --expected --reference --expect-text --compare", "--expect --against"),
      ("--assert --check --spec --fail-text", "--rules"),
      ("--pedantic --werror --fail-on-warning", "--strict"),
      ("--tol --epsilon --slack --delta", "--tolerance"),
      ("--accept --bless --snapshot-update --update-snapshots --regen -u", "--update"),
      ("--match --grep --only --name --select --pattern -k", "--filter --scenario"),
      ("--lf --last-failed --failed --failed-first --ff --rerun-failed", "--rerun=failed"),
      ("--count --times --reruns --iterations --runs", "--repeat --sessions"),
      ("--exitfirst --fail-fast --failfast --maxfail --bail -x", "--first --filter"),
      ("--parallel --workers --threads --processes --numprocesses -n -j", "--jobs"),
      ("--collect-only --co --dry-run --list-tests --ls", "--list"),
      ("--split --chunk --splits", "--shard"),
      ("--flake-finder --flakes", "--flaky"),
      // Cameras.
      ("--fps --rate-limit --hz-max", "--rate"),
      ("--flip --invert --reverse", "--mirror --mirror-tilt"),
      ("--smooth --smoothing --pid --filter-gain", "--gain"),
      ("--deadband --dead-band --deadzone", "--dead-zone"),
      ("--confidence --threshold --conf --min-conf", "--min-confidence"),
      ("--class --object --kind", "--label"),
      ("--target --to-port --destination", "--to"),
      ("--param --param-set --override --define --var", "--with"),
      ("--grid --matrix --scan --params", "--sweep"),
    ].map { row in (words(row.0), words(row.1)) }

  /// Guesses at an output file.
  static var outputs: [String] { options[0].guesses }
  /// The commands that only print.
  static let printing = ["explain", "contract", "doctor", "ports"]

  /// Guessed commands, and what they are called here.
  static let commands: [(guesses: [String], command: String)] =
    [
      ("monitor serial simulate simulator sim emulate start live bench view watch", "run"),
      ("tests suite check ci pytest", "test"), ("new scaffold create setup", "init"),
      ("compare cmp", "diff"), ("lint validate", "verify"), ("play send feed", "replay"),
      ("fuzz search hunt", "explore"), ("minimize minimise reduce bisect", "shrink"),
      ("log capture sniff spy tap", "record"), ("import export decode parse", "convert"),
      ("why analyze analyse show inspect", "explain"), ("draw graph chart picture", "plot"),
      ("html summary", "report"), ("distill extract", "distil"),
      ("list devices board boards port tty", "ports"), ("info status health env", "doctor"),
      ("learn guess", "profile"), ("server serve bridge websocket", "gateway"),
      ("track camera detect", "aim"), ("phone", "follow"), ("sweep scene loop", "rig"),
      ("web browser page demo", "playground"),
    ].map { row in (words(row.0), row.1) }

  private static func words(_ text: String) -> [String] {
    text.split(separator: " ").map(String.init)
  }

  /// Returns what a guessed option can mean among the options that a command has, at most two.
  static func meant(by guess: String, among names: Set<String>) -> [String] {
    let row = options.first { $0.guesses.contains(guess) }
    let known = (row?.meant ?? []).filter { meant in
      names.contains(String(meant.prefix { $0 != "=" }))
    }
    return known.prefix(2).map { $0.replacing("=", with: " ") }
  }
}
