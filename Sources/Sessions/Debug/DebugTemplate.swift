import AVR
import Traces

/// What editors need to debug a program on the emulated chip by `debug --gdb`: the files that
/// `init --debug` writes.
struct DebugTemplate {
  /// The program's path from the folder that an editor has open.
  let program: String

  static let usualProgram = "build/turret.ino.elf"
  static let folder = "debug"
  static let launchFile = ".vscode/launch.json"
  static let port = 1234

  var files: [SuiteTemplate.File] {
    [
      SuiteTemplate.File(path: Self.launchFile, contents: launch),
      SuiteTemplate.File(path: "\(Self.folder)/atmega328p.svd", contents: Self.registers),
      SuiteTemplate.File(path: "\(Self.folder)/platformio.ini", contents: Self.platformIO),
      SuiteTemplate.File(path: "\(Self.folder)/programmers.txt", contents: Self.programmer),
    ]
  }

  /// What starts the bench for these files.
  var command: String {
    "sentrybench debug --device \(SuiteTest.shellWord("avr:\(program)")) --gdb \(Self.port)"
  }

  // MARK: Visual Studio Code

  /// The fields are those that cortex-debug documents for an external server, and Native Debug for
  /// a gdbserver.
  private var launch: String {
    let path = JSONValue.string(
      program.hasPrefix("/") ? program : "${workspaceFolder}/\(program)"
    ).text
    return """
      {
        // For the extension Cortex-Debug, or Native Debug. Start the bench first:
        //   \(command)
        "version": "0.2.0",
        "configurations": [
          {
            "name": "SentryBench (Cortex-Debug)",
            "type": "cortex-debug",
            "request": "attach",
            "servertype": "external",
            "gdbTarget": "localhost:\(Self.port)",
            "gdbPath": "avr-gdb",
            "objdumpPath": "avr-objdump",
            "executable": \(path),
            "svdFile": "${workspaceFolder}/\(Self.folder)/atmega328p.svd",
            "cwd": "${workspaceFolder}"
          },
          {
            "name": "SentryBench (Native Debug)",
            "type": "gdb",
            "request": "attach",
            "remote": true,
            "target": ":\(Self.port)",
            "gdbpath": "avr-gdb",
            "executable": \(path),
            "stopAtConnect": true,
            "cwd": "${workspaceFolder}"
          }
        ]
      }

      """
  }

  /// The registers in the form of CMSIS-SVD, at GDB's addresses: those of the data space lie from
  /// 0x800000 on.
  static var registers: String {
    var text = """
      <?xml version="1.0" encoding="utf-8"?>
      <device schemaVersion="1.3" xmlns:xs="http://www.w3.org/2001/XMLSchema-instance">
        <name>ATmega328P</name>
        <version>1.0</version>
        <description>The registers that SentryBench emulates, at GDB's addresses</description>
        <addressUnitBits>8</addressUnitBits>
        <width>8</width>
        <size>8</size>
        <access>read-write</access>
        <peripherals>

      """
    for group in RegisterGroup.all {
      let addresses = group.registers.map { Int($0.address) }
      guard let first = addresses.min(), let last = addresses.max() else { continue }
      text += """
            <peripheral>
              <name>\(group.name)</name>
              <baseAddress>0x\(String(0x80_0000 + first, radix: 16))</baseAddress>
              <addressBlock>
                <offset>0</offset>
                <size>\(last - first + 1)</size>
                <usage>registers</usage>
              </addressBlock>
              <registers>

        """
      for register in group.registers {
        text += """
                  <register>
                    <name>\(register.name)</name>
                    <addressOffset>\(Int(register.address) - first)</addressOffset>
                  </register>

          """
      }
      text += """
              </registers>
            </peripheral>

        """
    }
    return text + "  </peripherals>\n</device>\n"
  }

  // MARK: Other tools

  private static let platformIO = """
    ; Add this to platformio.ini. Debugging in PlatformIO then starts the bench itself.
    [env:sentrybench]
    platform = atmelavr
    board = uno
    framework = arduino
    build_type = debug
    debug_tool = custom
    debug_port = :\(port)
    debug_server =
      sentrybench
      debug
      --device
      avr:${platformio.build_dir}/${this.__env__}/firmware.elf
      --gdb
      \(port)
    debug_server_ready_pattern = Listening on port
    debug_load_mode = manual
    debug_init_break = tbreak setup
    debug_init_cmds =
      define pio_reset_halt_target
        monitor reset
      end
      define pio_reset_run_target
        monitor reset
      end
      target extended-remote $DEBUG_PORT
      $INIT_BREAK

    """

  private static let programmer = """
    # For the Arduino IDE 2. Add this to programmers.txt of a core that can be debugged, such as
    # that of PyAvrOCD, and choose the programmer before you start to debug. Start the bench
    # first, with the .elf that Export Compiled Binary has written:
    #   sentrybench debug --device avr:FILE --gdb \(port)
    sentrybench.name=Emulated chip (SentryBench)
    sentrybench.debug.server=external
    sentrybench.debug.cortex-debug.custom.servertype=external
    sentrybench.debug.cortex-debug.custom.request=attach
    sentrybench.debug.cortex-debug.custom.gdbTarget=localhost:\(port)
    sentrybench.protocol=none
    sentrybench.upload.protocol=none
    sentrybench.program.protocol=none
    sentrybench.program.tool=avrdude
    sentrybench.program.extra_params=

    """
}
