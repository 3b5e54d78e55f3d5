/// How a command is usually called: what the summary of its help shows.
struct UsualUse {
  /// Three command lines, each with a remark after a number sign.
  var examples: [String] = []
  /// The names of its commonest options, the most useful first. A command with few options lists
  /// all of them anyway.
  var options: [String] = []

  init() {}

  /// `options` are divided by spaces.
  private init(_ options: String, _ examples: String...) {
    self.options = options.split(separator: " ").map(String.init)
    self.examples = examples
  }

  static func of(_ command: String) -> UsualUse { table[command] ?? UsualUse() }

  static let table: [String: UsualUse] = [
    "run": UsualUse(
      "--device --firmware --expect --rules --record --report --fault --http --for --quiet",
      "sentrybench run                             # a port to send to, until Ctrl-C",
      "sentrybench run -- python3 sender.py        # with a sender, until it ends",
      "sentrybench run --device avr:turret.ino.elf # a sketch of your own"),
    "test": UsualUse(
      "--filter --rerun --list --jobs --repeat --seed --junit --artifacts --report --verbose",
      "sentrybench test scenarios",
      "sentrybench test scenarios --junit results.xml --artifacts failed",
      "sentrybench test --rerun failed             # only those that failed last time"),
    "init": UsualUse(
      "",
      "sentrybench init                            # into the folder scenarios",
      "sentrybench init tests/turret",
      "sentrybench test scenarios                  # then this runs them"),
    "verify": UsualUse(
      "--device --firmware --tolerance --update --rules --strict --junit --report --jobs --json",
      "sentrybench verify traces",
      "sentrybench verify traces --device avr:turret.ino.elf",
      "sentrybench verify traces --update          # accept what the device does now"),
    "replay": UsualUse(
      "--send --for --device --firmware --fault --seed --summary --pulses --until --output",
      "sentrybench replay session.jsonl",
      "sentrybench replay --send 'X45. L' --for 3s # bytes instead of a trace",
      "sentrybench replay session.jsonl --device avr:turret.ino.elf -o new.jsonl"),
    "diff": UsualUse(
      "--tolerance --junit --json --from --since --until --baud --lossy --verbose --quiet",
      "sentrybench diff before.jsonl after.jsonl",
      "sentrybench diff before.jsonl after.jsonl --tolerance 1ms",
      "sentrybench diff before.jsonl last          # the last session that was run"),
    "explore": UsualUse(
      "--strict --rules --against --device --firmware --budget --first --seed --fault --output",
      "sentrybench explore --strict --budget 30s",
      "sentrybench explore --firmware classic --against guarded --first",
      "sentrybench explore --device avr:turret.ino.elf --rules rules.yaml -o found"),
    "shrink": UsualUse(
      "--strict --rules --against --device --firmware --profile --budget --exact --force --output",
      "sentrybench shrink session.jsonl --strict -o small.jsonl",
      "sentrybench shrink last --rules aim.yaml    # the last session that was run",
      "sentrybench shrink session.jsonl -o small.jsonl -- grep -q X100"),
    "contract": UsualUse(
      "--device --firmware --profile --rules --witnesses --budget --timing --json --force --quiet",
      "sentrybench contract --firmware classic",
      "sentrybench contract --device avr:turret.ino.elf --profile turret.profile",
      "sentrybench contract --firmware buzzer --rules contract.yaml"),
    "playground": UsualUse(
      "",
      "sentrybench playground                      # prints the address of the page",
      "sentrybench playground --port 0             # on any free port",
      "sentrybench run --http 127.0.0.1:8080       # a page about a live session"),
    "record": UsualUse(
      "--port --output --firmware --baud --pty --for --no-reset --profile --device --quiet",
      "sentrybench record --port /dev/ttyACM0 -o field.jsonl",
      "sentrybench record --port /dev/ttyACM0 -o field.jsonl -- python3 sender.py",
      "sentrybench explain field.jsonl             # then: what became of the bytes"),
    "convert": UsualUse(
      "--output --list --from --to --baud --rx-channel --tx-channel --port --since --until",
      "sentrybench convert capture.sr -o session.jsonl",
      "sentrybench convert capture.sr --list       # what is in it",
      "sentrybench convert session.jsonl --to vcd -o session.vcd"),
    "explain": UsualUse(
      "--device --firmware --json --sent --from --since --until --baud --uncertainty --quiet",
      "sentrybench explain session.jsonl",
      "sentrybench explain capture.sr              # a recording by another tool",
      "sentrybench explain last                    # the last session that was run"),
    "debug": UsualUse(
      "--at --gdb --device --send --symbols --json --attach --for --record --baud",
      "sentrybench debug session.jsonl --device avr:turret.ino.elf --at 'byte 17'",
      "sentrybench debug last --device avr:turret.ino.elf --gdb 1234",
      "sentrybench debug --device avr:my.elf --gdb 1234     # live, on a pty"),
    "plot": UsualUse(
      "--output --from --to --device --firmware --servo --baud --uncertainty --force --quiet",
      "sentrybench plot session.jsonl -o session.svg",
      "sentrybench plot session.jsonl --from 1s --to 2.5s -o part.svg",
      "sentrybench plot last                       # the last session that was run"),
    "report": UsualUse(
      "--output --device --firmware --tolerance --servo --from --since --until --baud --force",
      "sentrybench report session.jsonl -o report.html",
      "sentrybench report capture.sr -o report.html",
      "sentrybench report last                     # the last session that was run"),
    "distil": UsualUse(
      "--output --firmware --since --until --from --baud --lossy --force --verbose --quiet",
      "sentrybench distil field.jsonl -o fault.jsonl",
      "sentrybench distil capture.sr --since 2.5s -o fault.jsonl",
      "sentrybench verify fault.jsonl              # then: fails until it is mended"),
    "ports": UsualUse(
      "",
      "sentrybench ports",
      "sentrybench ports --json",
      "sentrybench record --port /dev/ttyACM0      # then: with one of them"),
    "doctor": UsualUse(
      "",
      "sentrybench doctor",
      "sentrybench doctor --json                   # to attach to a question",
      "sentrybench doctor && sentrybench run"),
    "calibrate": UsualUse(
      "--output --firmware --chip --clock --pin --bootloader --rx-pin --force --verbose --quiet",
      "sentrybench calibrate classic.ino.elf -o classic.timing",
      "sentrybench calibrate turret.ino.hex --firmware guarded -o turret.timing",
      "sentrybench replay session.jsonl --timing classic.timing"),
    "profile": UsualUse(
      "--learn --output --pin --clock --chip --rx-pin --tx-pin --baud --from --force",
      "sentrybench profile turret.ino.elf --learn session.jsonl",
      "sentrybench profile turret.ino.elf --learn session.jsonl -o turret.profile",
      "sentrybench run --device avr:turret.ino.elf --profile turret.profile"),
    "gateway": UsualUse(
      "--device --listen --tcp --token-file --allow --tls --on-disconnect --record --for --log",
      "sentrybench gateway                         # to a model, on this computer",
      "sentrybench gateway --device serial:/dev/ttyACM0 --record session.jsonl",
      "sentrybench gateway --listen 0.0.0.0:12354 --token-file tokens"),
    "aim": UsualUse(
      "--to --command --profile --rate --baud --follow --mirror --label --min-confidence --lost",
      "sentrybench aim seen.jsonl --to -           # prints a trace",
      "sentrybench aim seen.jsonl --to /dev/ttyACM0",
      "sentry-camera | sentrybench aim - --to ws://127.0.0.1:12354/"),
    "follow": UsualUse(
      "--device --rate --stale --on-disconnect --firmware --record --baud --for --log --quiet",
      "sentrybench follow 192.168.1.20:5800",
      "sentrybench follow 192.168.1.20:5800 --device serial:/dev/ttyACM0",
      "sentrybench follow 192.168.1.20:5800 --rate 15 --on-disconnect centre"),
    "rig": UsualUse(
      "--with --sweep --picture --output --seed --for --device --profile --json --jobs",
      "sentrybench rig visitor.yaml --picture visitor.svg",
      "sentrybench rig visitor.yaml --sweep 'gain=0.4|1,dead-zone=0|1.5'",
      "sentrybench rig visitor.yaml -- python3 tracker.py"),
  ]
}
