import AVR
import ChipDevice
import Devices
import Foundation
import Sketches
import Testing
import Traces

struct StackUseTests {
  /// `stack.cpp`, whose interrupt comes while a function runs that both call.
  private static func device(_ name: String) throws -> AVRDevice {
    var folder = URL(filePath: #filePath)
    for _ in 0..<2 { folder.deleteLastPathComponent() }
    let file = folder.appending(path: "AVRTests/Debugged/\(name)")
    let image = try ProgramImage(contents: Array(Data(contentsOf: file)), name: name)
    return AVRSource(AVRProgram(image, name: name)).makeDevice(
      for: Header(firmware: .guarded, duration: nil, title: nil), firmware: .guarded,
      showsPulses: false)
  }

  // The sizes are those of the functions' code: pushed registers, local variables and the return
  // address, and 17 bytes for the interrupt.
  @Test(arguments: [
    (
      "stack-2.elf",
      "main (stack.cpp:61) 2, loop (stack.cpp:54) 4, bench::Counter::add (stack.cpp:32) 7, "
        + "interrupt TIMER0_OVF (stack.cpp:51) 17, bench::Counter::add (stack.cpp:32) 7"
    ),
    (
      "stack-0.elf",
      "main 2, loop 4, bench::Counter::add 7, interrupt TIMER0_OVF 17, bench::Counter::add 7"
    ),
  ])
  func `The deepest stack has each function with its bytes`(name: String, chain: String) throws {
    var device = try Self.device(name)
    #expect(device.stackUse == nil)
    device.recordRun(wholly: false)
    #expect(device.capabilities.findsVariables)
    var recorder = Recorder()
    device.advance(to: .zero + .milliseconds(5), into: &recorder)
    let use = try #require(device.stackUse)
    #expect(use.chain == chain)
    #expect(use.bytes == 37 && use.frames.reduce(0) { $0 + $1.bytes } == 37)
    // From behind the variables, which end at 0x10F, up to the stack, which begins at 0x8FF.
    #expect(use.room?.bytes == 0x900 - 37 - 0x110 && use.room?.neighbour == .variables)
    #expect(use.json.hasPrefix("{\"bytes\": 37, \"at\": 0.000"))
    #expect(use.json.contains("[\"loop\", \"\(name == "stack-2.elf" ? "stack.cpp:54" : "")\", 4]"))
  }

  @Test func `Of a deep recursion, the outermost and the innermost functions are listed`() {
    let frames = (1...100).map { StackUse.Frame(function: "f", line: "", bytes: $0) }
    let use = StackUse(bytes: 5_050, at: .zero, frames, room: nil)
    #expect(use.chain.hasPrefix("f 1, f 2, f 3, f 4, f 5, f 6, 88 more 4444, f 95,"))
    #expect(use.text.hasSuffix("f 100") && use.json.contains("\"free\": null"))
  }
}
