import Captures
import Sketches
import Testing
import Traces

/// Why logs are refused, and at which place.
@Suite struct LogErrorTests {
  struct Refusal: CustomTestStringConvertible, Sendable {
    var name: String
    var log: String
    var options = CaptureOptions()
    var code = CaptureError.Code.malformed
    var place = CaptureError.Place.whole
    /// A part of the message.
    var says: String
    var testDescription: String { name }
  }

  static let block = """
    > 2026/01/31 12:00:00.000001  length=1 from=0 to=0
     58                                               X
    --

    """

  static let spy = "000001.500 TX   0000  58                     X\n"

  static let refusals: [Refusal] = [
    Refusal(
      name: "socat -v alone",
      log: "> 2026/01/31 12:00:00.000001  length=4 from=0 to=3\nX90.",
      place: .line(2, column: 1), says: "-x"),
    Refusal(
      name: "a clock that was set back",
      log: block + block.replacing(with: "11:59:00"), place: .line(4, column: 1), says: "set back"),
    Refusal(
      name: "a block that is cut in the middle",
      log: "> 2026/01/31 12:00:00.000001  length=4 from=0 to=3\n 58 31\n" + block,
      place: .line(1, column: 1), says: "2 bytes are missing"),
    Refusal(
      name: "only bytes from the board",
      log: block.replacing(with: "12:00:00", arrow: "<"), says: "--direction reverse"),
    Refusal(
      name: "several serial ports",
      log: """
        1.0 openat(AT_FDCWD, "/dev/ttyUSB0", O_RDWR|O_NOCTTY) = 3
        1.0 openat(AT_FDCWD, "/dev/ttyUSB1", O_RDWR|O_NOCTTY) = 4
        1.0 write(3, "X", 1) = 1
        1.0 write(4, "XY", 2) = 2

        """,
      code: .usage, says: "3 (/dev/ttyUSB0): 1 byte, 4 (/dev/ttyUSB1): 2 bytes"),
    Refusal(
      name: "a port without bytes",
      log: """
        1.0 openat(AT_FDCWD, "/dev/ttyUSB0", O_RDWR|O_NOCTTY) = 3
        1.0 write(3, "X", 1) = 1

        """,
      options: options { $0.port = "9" }, code: .usage, says: "9"),
    Refusal(
      name: "strace with a string that is cut",
      log: """
        1.0 openat(AT_FDCWD, "/dev/ttyUSB0", O_RDWR|O_NOCTTY) = 3
        1.0 write(3, "X"..., 40) = 40

        """,
      place: .line(2, column: 11), says: "39 bytes are missing"),
    Refusal(
      name: "usbmon's text with data that are cut",
      log: "ffff8edc1fa64f00 1 S Bo:2:002:2 -115 40 = 58585858 58585858\n",
      place: .line(1, column: 1), says: "32 bytes are missing"),
    Refusal(
      name: "Serial Port Monitor's trial version",
      log: "[00/00/0000 00:00:00] Written data (COM3)\n    58   X\n",
      place: .line(1, column: 1), says: "--lossy"),
    Refusal(
      name: "jpnevulator with one port",
      log: "2026-01-31 12:00:00.000000: \n58 31\n", says: "--direction forward"),
    Refusal(
      name: "jpnevulator with names that tell nothing",
      log: """
        2026-01-31 12:00:00.000000: left
        58
        2026-01-31 12:00:01.000000: right
        58

        """,
      code: .usage, says: "--rx-channel"),
    Refusal(
      name: "jpnevulator with a line that is none",
      log: "2026-01-31 12:00:00.000000: APP\n58 zz\n", place: .line(2, column: 4), says: "58 31 2E"),
    Refusal(
      name: "jpnevulator --byte-count without a row",
      log: "2026-01-31 12:00:00.000000: APP\n00000000\t58\n00000002\t58\n",
      place: .line(3, column: 1), says: "rows are missing"),
    Refusal(
      name: "strace with a prefix that is not known",
      log: "1.0 openat(AT_FDCWD, \"/dev/ttyUSB0\", O_RDWR) = 3\n1.0 write(3, \"X\", 1) = 1\n"
        + "1.0 {7} write(3, \"X\", 1) = 1\n",
      place: .line(3, column: 1), says: "expected a call as strace prints it"),
    Refusal(
      name: "strace -e raw=write, without the bytes",
      log: "1.0 openat(AT_FDCWD, \"/dev/ttyUSB0\", O_RDWR) = 3\n"
        + "1.0 write(0x3, 0x7ffe, 0x4) = 0x4\n",
      place: .line(2, column: 11), says: "4 bytes are missing"),
    Refusal(
      name: "tshark's JSON with data that were not exported",
      log: TsharkText.array([TsharkText.packet("1.000000000", "S", 2, length: 4, data: nil)]),
      place: .line(2, column: 1), says: "4 bytes are missing"),
    Refusal(
      name: "tshark's JSON without times",
      log: TsharkText.array([TsharkText.packet("", "S", 2, length: 4, data: nil)])
        .replacing("frame.time_epoch", with: "frame.time"),
      place: .line(2, column: 1), says: "its time"),
    Refusal(
      name: "tshark's JSON with a time that is none",
      log: TsharkText.array([TsharkText.packet("yesterday", "S", 2, length: 4, data: nil)]),
      place: .line(2, column: 1), says: "yesterday"),
    Refusal(
      name: "tshark's JSON of another network",
      log: TsharkText.array([#"{"_source": {"layers": {"frame": {"frame.time_epoch": "1.0"}}}}"#]),
      place: .line(1, column: 1), says: "expected packets of USB"),
    Refusal(
      name: "tshark's JSON that is none",
      log: TsharkText.array([TsharkText.packet("1.0", "S", 2, length: 4, data: "what")]),
      place: .line(24, column: 16), says: "in quotes"),
    Refusal(
      name: "tshark -T ek",
      log: #"{"index":{"_index":"packets-2026-11-22"}}"# + "\n"
        + #"{"timestamp":"1795319280993","layers":{"usb":{"usb_usb_src":"host"}}}"# + "\n",
      place: .line(1, column: 1), says: "tshark -r FILE -T json"),
    Refusal(
      name: "tshark -T jsonraw",
      log: #"[{"_source": {"layers": {"frame_raw": ["58", 0, 1, 0, 1], "usb.src_raw": "1"}}}]"#,
      place: .line(1, column: 1), says: "has no times"),
    Refusal(
      name: "tshark -T pdml", log: "<?xml version=\"1.0\"?>\n<pdml version=\"0\">\n",
      place: .line(1, column: 1), says: "-T pdml"),
    Refusal(
      name: "tshark without -T",
      log: "    1   0.000000         host -> 1.4.2        USB 68 URB_BULK out\n"
        + "    2   0.000102        1.4.2 -> host         USB 64 URB_BULK out\n",
      place: .line(1, column: 1), says: "has no data"),
    Refusal(
      name: "pySerial's spy with a line that is none",
      log: spy + "000001.600 TX 58\n" + spy, place: .line(2, column: 1), says: "0000"),
    Refusal(
      name: "pySerial's spy with a program's own line",
      log: spy + "sent X90.\n" + spy, place: .line(2, column: 1), says: "--lossy"),
    Refusal(
      name: "pySerial's spy with another label", log: spy + "000001.600 XX   0000  58\n",
      place: .line(2, column: 1), says: "000001.303 TX"),
    Refusal(
      name: "pySerial's spy with a byte that is none",
      log: spy + "000001.600 TX   0000  58 3x 30                X.0\n" + spy,
      place: .line(2, column: 1), says: "58 39 30 2E"),
    Refusal(
      name: "ser2net with a byte that is none",
      log: "2026/01/31 12:00:00 tcp  58  |X|\n2026/01/31 12:00:01 tcp  58 3x 30  |X.0|\n",
      place: .line(2, column: 1), says: "a row of bytes"),
    Refusal(
      name: "ser2net with a line that is none",
      log: "2026/01/31 12:00:00 tcp  58  |X|\n2026/01/31 12:00:01 usb  39  |9|\n",
      place: .line(2, column: 1), says: "expected an entry"),
    Refusal(
      name: "pySerial's spy without a row",
      log: "000001.500 TX   0010  4D                     M\n", place: .line(1, column: 17),
      says: "rows are missing"),
    Refusal(
      name: "Logic 2's table with a value that is none",
      log: "name,type,start_time,duration,\"data\"\n\"RX\",\"data\",0.1,0.1,\"what\"\n",
      place: .line(2, column: 1), says: "\"what\""),
    Refusal(
      name: "strace without times, of more bytes than can be laid out",
      log: "openat(AT_FDCWD, \"/dev/ttyACM0\", O_RDWR) = 3\n"
        + String(repeating: "write(3, \"a\"..., 16777217) = 16777217\n", count: 2_800),
      options: options {
        $0.isLossy = true
        $0.baud = 50
      }, says: "expected at most 1000000000 bytes without times"),
    Refusal(
      name: "interceptty",
      log: "[23:59 59.500000]< 0x58 (X)\n                 < 0x31 (1)\n"
        + "[00:00 00.500000]> \t0x29 ())\n", says: "interceptty are not read"),
    Refusal(
      name: "interceptty without times", log: "< 0x58 (X)\n> \t0x31 (1)\n", says: "socat -x -v"),
    Refusal(
      name: "interceptty's fork",
      log: "[9531820505:158883]   < 58(X):28(():0a([LF])\n"
        + "[9531820505:258883]   > \t20(' '):6b(k)\n", says: "socat -x -v"),
    Refusal(
      name: "slsnif",
      log: "\nSat Jan 31 12:00:00.76 2026\u{0}\u{1b}[0;37m\nHost   --> X (58) <SPACE> (20) \n",
      says: "slsnif are not read"),
    Refusal(
      name: "slsnif -d",
      log: "Serial Line Sniffer. Version 0.4.4\n\nSat Jan 31 12:00:00.10 2026\u{0}\n"
        + "Device --> 6b                                                  k\n",
      says: "socat -x -v"),
    Refusal(
      name: "tio", log: "[2026-01-31T12:00:00.123] hold\n[12:00:00.456] ok\n", says: "socat -x -v"),
    Refusal(name: "grabserial", log: "[0.000001 0.000001] hold\n", says: "socat -x -v"),
    Refusal(name: "ts", log: "1795318454.397953 hold\n", says: "socat -x -v"),
    Refusal(name: "ts with a date", log: "Jan 31 12:00:00 hold\n", says: "socat -x -v"),
    Refusal(name: "Arduino's monitor", log: "12:00:00.123 -> hold\n", says: "usbmon"),
    Refusal(
      name: "Saleae's session",
      log: "PK\u{3}\u{4}" + String(repeating: "\u{0}", count: 26) + "digital-0.bin",
      says: "as CSV or binary"),
  ]

  @Test(arguments: refusals)
  func `a log that cannot be converted is refused with the place and what to do`(
    _ refusal: Refusal
  ) throws {
    let error = #expect(throws: CaptureError.self) {
      try Converted(refusal.log, refusal.options)
    }
    #expect(error?.code == refusal.code)
    #expect(error?.place == refusal.place)
    #expect(error?.message.contains(refusal.says) == true, "\(error?.message ?? "")")
  }

  @Test func `other lines of a log are left out if that is accepted, or if they are Python's`()
    throws
  {
    let traceback =
      "Traceback (most recent call last):\n  File \"a.py\", line 3\nKeyboardInterrupt\n"
    for (log, isLossy, note) in [
      (
        Self.spy + "sent X90.\n" + Self.spy, true,
        "1 line left out that is not the tool's: line 2."
      ),
      (Self.spy + Self.spy + traceback, false, "3 lines left out that are not the tool's: line 3"),
      (Self.spy + Self.spy + "000001.7", false, "ends within a line"),
    ] {
      let converted = try Converted(log, options { $0.isLossy = isLossy })
      #expect(converted.lines.count == 2)
      #expect(converted.capture.summary.notes.contains { $0.contains(note) }, "\(note)")
    }
  }

  @Test func `a text in UTF-16 is read by its characters`() throws {
    let log = Self.block + Self.block
    let units = Array(log.utf16)
    let little = units.flatMap { [UInt8($0 & 0xFF), UInt8($0 >> 8)] }
    let big = units.flatMap { [UInt8($0 >> 8), UInt8($0 & 0xFF)] }
    for bytes in [[0xFF, 0xFE] + little, [0xFE, 0xFF] + big, little, big] {
      #expect(try Converted(bytes).lines == (try Converted(log).lines))
    }
    // What PowerShell makes of a byte beyond ASCII is not that byte.
    let error = #expect(throws: CaptureError.self) {
      try Converted([0xFF, 0xFE] + little + [0x98, 0x03, 0x0A, 0])
    }
    #expect(error?.place == .byte(Int64(little.count) + 2))
    #expect(error?.message.contains("UTF-16") == true)
  }

  @Test func `a terminal's colours in a log of strace are left out`() throws {
    let log = "1.0 openat(AT_FDCWD, \"/dev/ttyUSB0\", O_RDWR) = 3\n1.5 write(3, \"X\", 1) = 1\n"
    let colored = log.replacing("write", with: "\u{1B}[1;34mwrite\u{1B}[0m")
      .replacing("\n", with: "\u{1B}[K\n")
    for text in [colored, "\u{1B}[32m" + colored] {
      #expect(try Converted(text).lines == (try Converted(log).lines))
    }
  }

  @Test(
    arguments: [
      ("TCSETS, {c_iflag=0, c_cflag=B115200|CS8|CREAD, ...}", 9_600, "115200 baud; 9600"),
      ("SNDCTL_TMR_START or TCSETS, {B115200 -opost -isig ...}", 9_600, "115200 baud; 9600"),
      ("TCSETS, {c_iflag=IUTF8, c_cflag=B9600|CS8, ...}", 9_600, "9600 baud."),
      ("TCSETS, {c_cflag=B115200|CS8, ...}", 115_200, "115200 baud."),
      ("TCSETS, {c_cflag=B0|CS8, ...}", 9_600, nil), ("TIOCMBIS, [TIOCM_DTR]", 9_600, nil),
    ] as [(String, Int, String?)])
  func `a log of strace shows the speed that the sender sets`(
    settings: String, baud: Int, sentence: String?
  ) throws {
    let log = """
      1.0 openat(AT_FDCWD, "/dev/ttyUSB0", O_RDWR) = 3
      1.1 ioctl(0, TCSETS, {c_cflag=B38400|CS8, ...}) = 0
      1.2 ioctl(3, \(settings)) = 0
      1.5 write(3, "X90.", 4) = 4

      """
    let notes = try Converted(log, options { $0.baud = baud }).capture.summary.notes
    let beginning =
      sentence.map { "The sender sets its port to \($0)" } ?? "A log does not show the line's speed"
    #expect(notes.contains { $0.hasPrefix(beginning) }, "\(notes)")
  }

  @Test func `a loss that is accepted becomes a hole`() throws {
    let log = "> 2026/01/31 12:00:00.000001  length=4 from=0 to=3\n 58 31\n" + Self.block
    let converted = try Converted(log, options { $0.isLossy = true })
    #expect(
      converted.lines == [
        "0 rx X1", "0 rx X", "0.002083332 \"x-gap\", \"rx\", 0.002083332",
      ])
    #expect(converted.capture.summary.holes == 1)
  }

  @Test(arguments: [
    "> 2026/01/31 12:00:01.0", "> 2026/01/31 12:00:01.000001  length=2 from=1 to=2\n",
    "> 2026/01/31 12:00:01.000001  length=2 from=1 to=2\n 5",
    "> 2026/01/31 12:00:01.000001  length=2 from=1 to=2\n 58 3",
  ])
  func `a block that the log's end cuts is left out`(rest: String) throws {
    let converted = try Converted(Self.block + rest)
    #expect(converted.lines == ["0 rx X"])
    #expect(
      converted.capture.summary.notes.contains { $0.contains("left out") }
        == rest.contains("length"))
  }

  @Test func `tshark's JSON that is cut off keeps its whole packets`() throws {
    let packet = TsharkText.packet(
      "1.000000000", "S", 2, length: 1, data: #""usb.capdata": "58""#)
    for rest in ["", ",", ", {", ", {\"_source\"", ", {\"_source\": {\"layers\": {}"] {
      let converted = try Converted("[\n\(packet)\(rest)")
      #expect(converted.lines == ["0 rx X"])
      #expect(converted.capture.summary.notes.contains { $0.contains("within a packet") })
    }
  }

  @Test func `a list of a log with a doubt shows its ports and the doubt`() throws {
    let log = """
      1.0 openat(AT_FDCWD, "/dev/ttyUSB0", O_RDWR|O_NOCTTY) = 3
      1.0 openat(AT_FDCWD, "/dev/ttyUSB1", O_RDWR|O_NOCTTY) = 4
      1.0 write(3, "X", 1) = 1
      1.0 write(4, "XY", 2) = 2

      """
    let summary = try Converted(log, options { $0.isListing = true }).capture.summary
    #expect(summary.channels.map(\.name) == ["3", "4"])
    #expect(summary.notes.contains { $0.contains("--port") })
  }

  @Test func `one of several ports is chosen by its name or its path`() throws {
    let log = """
      1.0 openat(AT_FDCWD, "/dev/ttyUSB0", O_RDWR|O_NOCTTY) = 3
      1.0 openat(AT_FDCWD, "/dev/ttyUSB1", O_RDWR|O_NOCTTY) = 4
      1.0 write(3, "X", 1) = 1
      1.0 write(4, "Y", 1) = 1

      """
    #expect(try Converted(log, options { $0.port = "3" }).lines == ["0 rx X"])
    #expect(try Converted(log, options { $0.port = "/dev/ttyUSB1" }).lines == ["0 rx Y"])
  }
}

extension String {
  /// Returns the block with another time and arrow.
  fileprivate func replacing(with time: String, arrow: Character = ">") -> String {
    "\(arrow) 2026/01/31 \(time)" + dropFirst(21)
  }
}
