import Testing
import Traces

@testable import Sessions

struct DebugTemplateTests {
  private func file(_ name: String, _ program: String = "out/my sketch.elf") throws -> String {
    let files = DebugTemplate(program: program).files
    return try #require(files.first { $0.path.hasSuffix(name) }).contents
  }

  @Test func `The registers are at GDB's addresses, each once`() throws {
    let text = try file(".svd")
    var base = 0
    var registers: [String: Int] = [:]
    var name = ""
    for line in text.split(separator: "\n") {
      func value(_ element: String) -> Substring? {
        guard let start = line.firstRange(of: "<\(element)>"),
          let end = line.firstRange(of: "</\(element)>")
        else { return nil }
        return line[start.upperBound..<end.lowerBound]
      }
      if let text = value("name") { name = String(text) }
      if let text = value("baseAddress") { base = Int(text.dropFirst(2), radix: 16) ?? 0 }
      if let text = value("addressOffset") {
        #expect(registers.updateValue(base + (Int(text) ?? 0), forKey: name) == nil)
      }
    }
    // Data sheet, "Register Summary".
    let known = [
      "PINB": 0x23, "PORTD": 0x2B, "TIFR0": 0x35, "TCCR0A": 0x44, "OCR0B": 0x48, "SREG": 0x5F,
      "TIMSK1": 0x6F, "ADMUX": 0x7C, "TCNT1L": 0x84, "OCR1BH": 0x8B, "OCR2B": 0xB4, "ASSR": 0xB6,
      "TIMSK2": 0x70, "UDR0": 0xC6,
    ]
    for (name, address) in known { #expect(registers[name] == 0x80_0000 + address, "\(name)") }
    #expect(Set(registers.values).count == registers.count)
  }

  @Test func `What an editor reads names the program and the port`() throws {
    let text = try file("launch.json")
    #expect(text.contains("avr:out/my sketch.elf' --gdb 1234"))
    let lines = text.split(separator: "\n").filter { !$0.contains("//") }
    let json = try JSONValue.contents(of: Array(lines.joined(separator: "\n").utf8), path: "x")
    #expect(json.text.contains(#""executable": "${workspaceFolder}/out/my sketch.elf""#))
    #expect(try file("launch.json", "/a/b.elf").contains(#""executable": "/a/b.elf""#))
    #expect(try file("platformio.ini").contains("debug_server_ready_pattern = Listening on port"))
    #expect(try file("programmers.txt").contains("gdbTarget=localhost:1234"))
  }
}
