import Devices
import Foundation
import Platform
import Sketches
import SystemPackage
import Testing

@testable import Serial

@Suite struct SerialPortTests {
  private static func read(_ port: SerialPort, _ count: Int) throws -> String {
    var bytes: [UInt8] = []
    let end = HostTime.now + .seconds(10)
    while bytes.count < count, end.wait(for: port.descriptor) { bytes += try port.read() }
    return String(decoding: bytes, as: UTF8.self)
  }

  private static func folder() throws -> URL {
    let url = FileManager.default.temporaryDirectory
      .appendingPathComponent("sentrybench-port-\(UUID().uuidString)")
    try FileManager.default.createDirectory(at: url, withIntermediateDirectories: true)
    return url
  }

  @Test
  func `A pty is opened with termios, passes bytes unchanged and has no modem lines`() throws {
    let board = try PtyBoard(.guarded)
    defer { board.unplug() }
    let port = try SerialPort(path: board.path)
    #expect(try port.pulseReset() == false)
    #expect(try port.read().isEmpty)
    #expect(try port.write("?".utf8) == 1)
    #expect(
      try Self.read(port, 49) == "090 hold ok=00000 no=00000 lost=00000 drop=00000\n")
    #expect(board.received == Array("?".utf8))
  }

  @Test func `A symbolic link is followed`() throws {
    let board = try PtyBoard(.guarded)
    defer { board.unplug() }
    let folder = try Self.folder()
    defer { try? FileManager.default.removeItem(at: folder) }
    let link = folder.appendingPathComponent("ttyLink").path
    try FileManager.default.createSymbolicLink(atPath: link, withDestinationPath: board.path)
    let port = try SerialPort(path: link)
    #expect(port.path == link)
    #expect(try port.write("?".utf8) == 1)
    #expect(try Self.read(port, 49).hasPrefix("090 hold"))
  }

  @Test func `A terminal's settings are restored when the port is closed`() throws {
    let board = try PtyBoard(.guarded)
    defer { board.unplug() }
    let descriptor = try HostSystem.shared.openTerminal(board.path)
    defer { HostSystem.shared.close(descriptor) }
    var before = try #require(HostSystem.shared.settings(of: descriptor))
    before.c_cc.0 = 7
    try HostSystem.shared.set(before, of: descriptor)
    #expect(LineSpeed.set(250_000, on: descriptor))
    func control() -> UInt8? { HostSystem.shared.settings(of: descriptor)?.c_cc.0 }
    func flags() -> [UInt]? {
      HostSystem.shared.settings(of: descriptor).map { [UInt($0.c_cflag), UInt($0.c_lflag)] }
    }
    let (key, settings) = (control(), flags())
    do {
      let port = try SerialPort(path: board.path, speed: 9_600, keepsLines: true)
      #expect(flags() != settings)
      try port.setSpeed(115_200)
      #expect(LineSpeed.of(descriptor) == 115_200)
    }
    #expect(LineSpeed.of(descriptor) == 250_000)
    #expect(control() == key)
    #expect(flags() == settings)
  }

  @Test func `Flow control that another program left on is turned off`() throws {
    let board = try PtyBoard(.guarded)
    defer { board.unplug() }
    let descriptor = try HostSystem.shared.openTerminal(board.path)
    defer { HostSystem.shared.close(descriptor) }
    var before = try #require(HostSystem.shared.settings(of: descriptor))
    before.c_cflag |= PortSystem.flowControl.hardware
    before.c_iflag |= PortSystem.flowControl.software
    try HostSystem.shared.set(before, of: descriptor)
    let port = try SerialPort(path: board.path)
    let after = try #require(HostSystem.shared.settings(of: port.descriptor))
    #expect(after.c_cflag & PortSystem.flowControl.hardware == 0)
    #expect(after.c_iflag & PortSystem.flowControl.software == 0)
  }

  @Test func `Reading and writing report a port whose other end is gone`() throws {
    let board = try PtyBoard(.guarded)
    let port = try SerialPort(path: board.path)
    board.unplug()
    #expect((HostTime.now + .seconds(10)).wait(for: port.descriptor))
    for deed in [{ _ = try port.read() }, { _ = try port.write("X".utf8) }] {
      let error = #expect(throws: SerialError.self) { try deed() }
      #expect(error?.code == .gone)
    }
  }

  @Test func `A path that is not a terminal is not opened`() throws {
    let folder = try Self.folder()
    defer { try? FileManager.default.removeItem(at: folder) }
    let file = folder.appendingPathComponent("file").path
    try Data("X45.".utf8).write(to: URL(fileURLWithPath: file))
    let loop = folder.appendingPathComponent("loop").path
    try FileManager.default.createSymbolicLink(atPath: loop, withDestinationPath: loop)
    let table: [(String, String)] = [
      (file, "is neither a serial port nor a terminal"),
      (folder.path, "is neither a serial port nor a terminal"),
      ("/dev/null", "is neither a serial port nor a terminal"),
      (
        folder.path + "/none",
        "there is no such port; \"sentrybench ports\" lists the available ports"
      ),
      (file + "/x", "there is no such port"), (loop, "there is no such port"),
      ("", "there is no such port"), ("/dev/ttyNone77", "there is no such port"),
    ]
    for (path, message) in table {
      let error = #expect(throws: SerialError.self, "\(path)") { try SerialPort(path: path) }
      #expect(error?.code == .unavailable)
      #expect(error?.path == path)
      #expect(error?.message.hasPrefix(message) == true, "\(error?.description ?? "")")
    }
    #expect(try Data(contentsOf: URL(fileURLWithPath: file)) == Data("X45.".utf8))
  }

  @Test func `An impossible speed is refused and named in the error`() throws {
    let board = try PtyBoard(.guarded)
    defer { board.unplug() }
    let error = #expect(throws: SerialError.self) { try SerialPort(path: board.path, speed: -7) }
    #expect(error?.description.contains("-7 bits a second") == true)
  }

  static let causes: [(Errno, SerialError.Code, String)] = [
    (.noSuchFileOrDirectory, .unavailable, "no such port"),
    (.permissionDenied, .unavailable, "dialout"),
    (.resourceBusy, .unavailable, "in use by another program"),
    (.noSuchAddressOrDevice, .unavailable, "nothing is plugged in"),
    (.tooManyOpenFiles, .inputOutput, "cannot be opened"),
  ]

  @Test(arguments: causes)
  func `A system error is reported with advice`(
    _ row: (cause: Errno, code: SerialError.Code, words: String)
  ) {
    let error = SerialError(opening: "/dev/ttyACM0", row.cause)
    #expect(error.code == row.code)
    #expect(error.description.contains(row.words))
    #expect(error.description.hasPrefix("/dev/ttyACM0: error: "))
  }

  @Test func `Ports are listed in the order of their numbers`() {
    let names = ["/dev/ttyACM10", "/dev/ttyUSB0", "/dev/ttyACM2", "/dev/ttyACM", "/dev/cu.x"]
    #expect(
      names.sorted(by: PortInfo.precedes) == [
        "/dev/cu.x", "/dev/ttyACM", "/dev/ttyACM2", "/dev/ttyACM10", "/dev/ttyUSB0",
      ])
  }

  @Test func `Listing ports opens none and leaves out ptys`() throws {
    let board = try PtyBoard(.classic)
    defer { board.unplug() }
    #expect(try !PortInfo.all().contains { $0.path == board.path })
    #expect(PortInfo.find(board.path) == nil)
  }
}
