import Aim
import Sketches
import Testing

@Suite struct CommandTemplateTests {
  @Test(
    arguments: [
      ("X{pan}.", 90, 45, "X90."), ("X{pan}.", 300, 45, "X180."),
      (#"P{pan},T{tilt}\n"#, 90, 45, "P90,T45\n"), (#"{tilt},{pan}\n"#, 90, 45, "45,90\n"),
      ("a{pan:3}{tilt:3}", 90, 5, "a090005"), (#"P{pan:20..160}\n"#, 5, 0, "P20\n"),
      (#"P{pan:0.0..180.0}\n"#, 90, 0, "P90.0\n"),
      // In a range with negative numbers, 0 is straight ahead.
      (#"P{pan:-90..90},{tilt:-1.00..1.00}\n"#, 45, 93, "P-45,1.00\n"),
      (#"$T{pan}*{xor hex 2..-2}\n"#, 90, 0, "$T90*5D\n"),
      ("0x01 {pan:u8} {sum}", 9, 0, "\u{1}\t\n"),
      ("P{pan}{pause 20ms}", 90, 0, "P90"),
    ])
  func `A template gives the bytes for two angles`(
    template: String, pan: Int, tilt: Int, text: String
  ) throws {
    let bytes = try CommandTemplate(template).bytes(Angles(x: pan, y: tilt))
    #expect(String(decoding: bytes, as: UTF8.self) == text)
  }

  @Test(
    arguments: [
      ("", "expected at least one byte"),
      ("L", "expected {pan} in the command, for example X{pan}."),
      (
        "P{pan}",
        #"expected a byte after {pan} that is neither a digit nor "-", so that the number has an "#
          + #"end, for example \n, or {pause}"#
      ),
      (
        #"P{pan}\q"#,
        #"expected \n, \r, \t, \\, \{, \} or \x with two digits, at character 7 of "P{pan}\q""#
      ),
      (
        "P{pan",
        #"expected "}" after this "{"; \{ is the character, at character 2 of "P{pan""#
      ),
      (#"P{pan},{yaw:0..180}\n"#, "expected only the numbers {pan} and {tilt}, found {yaw}"),
      (#"T{tilt}\n"#, "expected {pan} in the command, for example X{pan}."),
      (#"P{pan},{pan}\n"#, #"expected each name once; "pan" is there twice"#),
      (
        "0xAA {pan:u16le 544..2400}",
        "expected {pan} in degrees, found 544..2400"
      ),
    ])
  func `A text that cannot aim is refused, with the place`(template: String, message: String) {
    #expect(throws: CommandTextError.self) { try CommandTemplate(template) }
    do throws(CommandTextError) {
      _ = try CommandTemplate(template)
    } catch {
      #expect(error.description == message)
    }
  }

  @Test func `A command says at which angles it aims, not those that it cannot state`() throws {
    let template = try CommandTemplate(#"P{pan:20..160},T{tilt:-45..45}\n"#)
    let command = TurretCommand.aim(Angles(x: 5, y: 170), by: template)
    #expect(command.text == "P20,T45\n" && command.degrees == 20 && command.tilt == 135)
  }

  @Test(
    arguments: [
      (["P{pan:0..180},{tilt:0..180}\\n", "F"], "P90,45\n"),
      (["T{tilt:0..180}\\n", "P{pan:0..180}\\n"], "P90\nT45\n"),
      (["P{pan:0..180}\\n", "S{servo:0..5}\\n"], "P90\n"),
      (["P{pan:0..180}{pause}", "F"], "P90"),
      (["S{servo:0..5},{to:0..180}\\n", "F"], nil), (["P{pan:0..180}{pause}", "T{tilt:u8}"], nil),
      (["F"], nil),
    ] as [([String], String?)])
  func `A profile's command for the angles is found by its numbers`(
    commands: [String], text: String?
  ) throws {
    let profile = Profile(name: "turret", commands: try commands.map { try CommandForm($0) })
    let template = try? CommandTemplate(profile)
    #expect(
      template.map { String(decoding: $0.bytes(Angles(x: 90, y: 45)), as: UTF8.self) } == text)
  }

  @Test func `A command for one angle does not tilt`() throws {
    #expect(!CommandTemplate.bench.tilts)
    #expect(try CommandTemplate(#"P{pan},{tilt}\n"#).tilts)
    let command = TurretCommand.aim(
      Angles(x: 90, y: 200), by: try CommandTemplate(#"P{pan},{tilt}\n"#))
    #expect((command.degrees, command.tilt) == (90, 180))
    #expect("\(command)" == #"P90,180\n"#)
    #expect(TurretCommand.aim(90).tilt == nil)
  }

  @Test func `A command without numbers is read with its escapes`() throws {
    #expect(try CommandTemplate.bytes(of: #"F\n"#) == Array("F\n".utf8))
    #expect(throws: CommandTextError.self) { try CommandTemplate.bytes(of: "") }
    #expect(throws: CommandTextError.self) { try CommandTemplate.bytes(of: "F{pan:u8}") }
  }
}
