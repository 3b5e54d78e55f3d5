import Captures
import Sketches
import Testing
import Traces

/// Each kind of log with the trace that results. The samples are as the tools print them.
@Suite struct LogFormatTests {
  struct Sample: CustomTestStringConvertible, Sendable {
    var name: String
    var kind: CaptureKind
    var log: String
    var options = CaptureOptions()
    var lines: [String]
    var testDescription: String { name }
  }

  static let samples: [Sample] = [
    Sample(
      name: "socat -x -v with microseconds in nine digits", kind: .socat,
      log: """
        > 2026/01/31 12:00:00.000500000  length=4 from=0 to=3
         58 39 30 2e                                      X90.
        --
        < 2026/01/31 12:00:00.000510000  length=2 from=0 to=1
         31 0a                                            1.
        --

        """,
      lines: ["0 rx X90.", "0.007916668 tx 1", "0.008958334 tx \\0a"]),
    Sample(
      name: "socat with nanoseconds", kind: .socat,
      log: """
        > 2026/01/31 12:00:00.000900000  length=1 from=0 to=0
         58                                               X
        --
        > 2026/01/31 12:00:00.500900000  length=1 from=1 to=1
         31                                               1
        --

        """,
      lines: ["0 rx X", "0.5 rx 1"]),
    Sample(
      name: "socat -x, with other output on the same line", kind: .socat,
      log: """
        > 2015/11/07 18:44:49.945828  length=2 from=48 to=49
         0b 04
        Px> 2015/11/07 18:44:49.955828  length=1 from=50 to=50
         13

        < 2015/11/07 18:45:49.202989  length=1 from=0 to=0
         0a

        """,
      lines: ["0 rx \\0b\\04", "0.01 rx \\13", "59.256119334 tx \\0a"]),
    Sample(
      name: "socat rows that break after a newline and look like heads", kind: .socat,
      log: """
        > 2026/01/31 12:00:00.000001  length=5 from=0 to=4
         2d 2d 0a                                         --.
         20 34                                             4
        --

        """,
      lines: ["0 rx --\\0a\\204"]),
    Sample(
      name: "socat with the directions swapped", kind: .socat,
      log: """
        < 2026/01/31 12:00:00.000001  length=1 from=0 to=0
         58                                               X
        --

        """,
      options: options { $0.direction = .reverse }, lines: ["0 rx X"]),
    Sample(
      name: "socat at the end of summer time", kind: .socat,
      log: """
        > 2026/10/25 02:59:59.500000  length=1 from=0 to=0
         58                                               X
        --
        > 2026/10/25 02:00:00.500000  length=1 from=1 to=1
         31                                               1
        --

        """,
      lines: ["0 rx X", "1 rx 1"]),
    Sample(
      name: "socat at the beginning of summer time", kind: .socat,
      log: """
        > 2026/03/29 01:59:59.500000  length=1 from=0 to=0
         58                                               X
        --
        > 2026/03/29 03:00:00.500000  length=1 from=1 to=1
         31                                               1
        --

        """,
      lines: ["0 rx X", "1 rx 1"]),
    Sample(
      name: "socat -v with the loss accepted", kind: .socat,
      log: """
        > 2026/01/31 12:00:00.000001  length=5 from=0 to=4
        X9\\r
        .> 2026/01/31 12:00:01.000001  length=1 from=5 to=5
        L
        """,
      options: options { $0.isLossy = true }, lines: ["0 rx X9\\0d\\0a.", "1 rx L"]),
    Sample(
      name: "strace with processes, a descriptor used again, and failed calls", kind: .strace,
      log: """
        7  100000000.000000 openat(AT_FDCWD, "/etc/hosts", O_RDONLY|O_CLOEXEC) = 3
        7  100000000.100000 read(3, "127.0.0.1 localhost"..., 4096) = 178
        7  100000000.150000 close(3)          = 0
        7  100000000.200000 openat(AT_FDCWD, "/dev/ttyUSB0", O_RDWR|O_NOCTTY) = 3
        7  100000000.300000 write(3, "X\\3771", 3) = 3
        7  100000000.350000 read(3, 0x7ffe, 16)  = -1 EAGAIN (Resource temporarily unavailable)
        7  100000000.400000 read(3, "\\1\\n", 16) = 2
        7  100000000.500000 write(1, "done", 4) = 4
        7  100000001.000000 +++ exited with 0 +++

        """,
      lines: ["0 rx X\\ff1", "0.097916668 tx \\01", "0.098958334 tx \\0a"]),
    Sample(
      name: "strace with calls that another thread interrupts", kind: .strace,
      log: """
        [pid     7] 12:00:00.000000 write(4</dev/ttyACM0<char 166:0>>, "X", 1 <unfinished ...>
        [pid     8] 12:00:00.100000 read(4</dev/ttyACM0<char 166:0>>,  <unfinished ...>
        [pid     7] 12:00:00.200000 <... write resumed>) = 1
        [pid     8] 12:00:01.000000 <... read resumed>"k", 64) = 1

        """,
      lines: ["0 rx X", "0.998958334 tx k"]),
    Sample(
      name: "strace -r -T, past a partial write and with writev", kind: .strace,
      log: """
             0.000000 openat(AT_FDCWD, "/dev/ttyS0", O_RDWR|O_NOCTTY) = 5 <0.000010>
             0.500000 write(5, "X12.", 4) = 2 <0.000010>
             0.250000 writev(5, [{iov_base="2", iov_len=1}, {iov_base=".", iov_len=1}], 2) = 2 <0.1>
             0.250000 read(5, "a", 1) = 1 <0.500000>

        """,
      lines: ["0 rx X1", "0.25 rx 2.", "0.998958334 tx a"]),
    Sample(
      name: "strace -n -i -Y, whose prefixes come before each call", kind: .strace,
      log: """
        7<my sender> 100000000.200000 [ 257] [00007f40b5ee3011] openat(AT_FDCWD, "/dev/ttyUSB0", \
        O_RDWR|O_NOCTTY) = 3
        7<my sender> 100000000.300000 [   1] [00007f40b5ee3011] write(3, "X45.", 4) = 4
        7<my sender> 100000000.400000 [   0] [????????????????] read(3, "k", 16) = 1
        [pid     8<other>] 100000000.500000 [   3] close(3) = 0
        7<my sender> 100000001.000000 [????] +++ exited with 0 +++

        """,
      lines: ["0 rx X45.", "0.098958334 tx k"]),
    Sample(
      name: "strace -N, with the arguments' names, and numbers in hexadecimal", kind: .strace,
      log: """
        100000000.200000 openat(dirfd=AT_FDCWD, pathname="/dev/ttyUSB0", flags=O_RDWR) = 3
        100000000.210000 ioctl(fd=3, op=TCSETS, argp={c_iflag=0}) = 0
        100000000.300000 write(fd=3, buf="X45.", count=4) = 4
        100000000.400000 writev(fd=3, iov=[{iov_base="L", iov_len=1}], iovcnt=1) = 0x1
        100000000.500000 dup(oldfd=3) = 5
        100000000.600000 close(fd=3)  = 0
        100000000.700000 read(fd=5, buf="k", count=16) = 1

        """,
      lines: ["0 rx X45.", "0.1 rx L", "0.398958334 tx k"]),
    Sample(
      name: "strace -N with calls that another thread interrupts", kind: .strace,
      log: """
        7     12:00:00.000000 write(fd=4</dev/ttyACM0<char 166:0>>, buf="X", count=1 <unfinished ...>
        8     12:00:00.100000 read(fd=4</dev/ttyACM0<char 166:0>>,  <unfinished ...>
        7     12:00:00.200000 <... write resumed>) = 1
        8     12:00:01.000000 <... read resumed> buf="k", count=64) = 1

        """,
      lines: ["0 rx X", "0.998958334 tx k"]),
    Sample(
      name: "strace -k, whose stack traces are between the calls", kind: .strace,
      log: """
        100000000.200000 openat(AT_FDCWD, "/dev/ttyUSB0", O_RDWR|O_NOCTTY) = 3
         > /usr/lib/x86_64-linux-gnu/libc.so.6(__open64+0xc7) [0xf6d47]
         > /usr/bin/sender(main+0x12) [0x1139]
        100000000.300000 write(3, "X45.", 4) = 4
         > /usr/lib/x86_64-linux-gnu/libc.so.6(write+0x4d) [0xf7c5d]
         > /usr/bin/sender(main+0x22) [0x1149]

        """,
      lines: ["0 rx X45."]),
    Sample(
      name: "tshark's JSON of CDC-ACM", kind: .usbmon,
      log: TsharkText.array([
        TsharkText.packet(
          "1795318384.010000000", "S", 0x04, length: 4, data: #""usb.capdata": "58:34:35:2e""#),
        TsharkText.packet("1795318384.010500000", "C", 0x04, length: 4, data: nil),
        TsharkText.packet("1795318384.011000000", "S", 0x83, length: 64, data: nil),
        TsharkText.packet(
          "2026-11-22T03:33:04.021000000Z", "C", 0x83, length: 2, data: #""usb.capdata": "6f6b""#),
      ]),
      lines: ["0 rx X45.", "0.008916668 tx o", "0.009958334 tx k"]),
    Sample(
      name: "tshark's JSON of an FTDI, dissected", kind: .usbmon,
      log: TsharkText.array([
        TsharkText.packet(
          "1795318384.000000000", "S", 0x02, length: 2,
          data: #""ftdi-ft": { "ftdi-ft.if_a_tx_payload": "58:31" }"#),
        TsharkText.packet(
          "1795318384.001000000", "C", 0x02, length: 2, data: #""ftdi-ft": "FTDI""#),
        TsharkText.packet(
          "1795318384.100000000", "C", 0x81, length: 3,
          data: #""ftdi-ft": { "ftdi-ft.modem_status": "0x01", "ftdi-ft.if_a_rx_payload": "6b" }"#),
        TsharkText.packet(
          "1795318384.200000000", "C", 0x81, length: 2,
          data: #""ftdi-ft": { "ftdi-ft.modem_status": "0x01", "ftdi-ft.line_status": "0x00" }"#),
      ]),
      lines: ["0 rx X1", "0.098958334 tx k"]),
    Sample(
      name: "tshark's JSON of an FTDI that was not dissected, and a disk", kind: .usbmon,
      log: TsharkText.array([
        TsharkText.packet(
          "1795318384.000000000", "C", 0x80, length: 18, kind: 2,
          data: #""DEVICE DESCRIPTOR": { "usb.idVendor": "0x0403" }"#),
        TsharkText.packet(
          "1795318384.000000000", "S", 0x02, length: 1, device: 7,
          data: #""usbms": { "a": [1, true, null] }"#, interface: "0x08"),
        TsharkText.packet(
          "1795318384.000000000", "S", 0x02, length: 1, data: #""usb.capdata": "58""#),
        TsharkText.packet(
          "1795318384.100000000", "C", 0x81, length: 3, data: #""usb.capdata": "01:60:6b""#),
      ]),
      lines: ["0 rx X", "0.098958334 tx k"]),
    Sample(
      name: "tshark's JSON of USBPcap", kind: .usbmon,
      log: TsharkText.array([
        TsharkText.windowsPacket("1795318384.000000000", 0, 0x02, "58:31:2e"),
        TsharkText.windowsPacket("1795318384.000100000", 1, 0x02, ""),
        TsharkText.windowsPacket("1795318384.100000000", 1, 0x81, "6b"),
      ]),
      lines: ["0 rx X1.", "0.098958334 tx k"]),
    Sample(
      name: "usbmon's text of a CH340", kind: .usbmon,
      log: """
        ffff8edc1fa646c0 17446933 S Co:2:002:0 s 40 9a 1312 b282 0000 0
        ffff8edc1fa64f00 18755782 S Bo:2:002:2 -115 4 = 5839302e
        ffff8edc1fa64f00 18758782 C Bo:2:002:2 0 4 >
        ffff8edc1fa64d80 18859782 C Bi:2:002:2 0 5 = 31313020 68
        ffff8edc1fa64d80 18859800 S Bi:2:002:2 -115 32 <

        """,
      lines: [
        "0 rx X90.", "0.09879167 tx 1", "0.099833336 tx 1", "0.100875002 tx 0",
        "0.101916668 tx \\20", "0.102958334 tx h",
      ]),
    Sample(
      name: "usbmon's text with more bytes than were transferred", kind: .usbmon,
      log: """
        ffff8edc1fa64f00 1000000 S Bo:2:002:2 -115 1 = 5839302e
        ffff8edc1fa64f00 2000000 S Bo:2:002:2 -115 1 = 4c

        """,
      lines: ["0 rx X", "1 rx L"]),
    Sample(
      name: "usbmon's text past 4 096 seconds", kind: .usbmon,
      log: """
        ffff8edc1fa64f00 4095999999 S Bo:2:002:2 -115 1 = 58
        ffff8edc1fa64f00 1 S Bo:2:002:2 -115 1 = 31

        """,
      lines: ["0 rx X", "0.000002 rx 1"]),
    Sample(
      name: "usbmon's text of an FTDI without its descriptor", kind: .usbmon,
      log: """
        ffff8edc1fa64f00 1000000 S Bo:1:004:2 -115 1 = 58
        ffff8edc1fa64d80 1010000 C Bi:1:004:1 0 2 = 0160
        ffff8edc1fa64d80 1020000 C Bi:1:004:1 0 2 = 0160
        ffff8edc1fa64d80 1030000 C Bi:1:004:1 0 3 = 01606b

        """,
      lines: ["0 rx X", "0.028958334 tx k"]),
    Sample(
      name: "pySerial's spy with colours, controls and empty reads", kind: .pyserialSpy,
      log: """
        \u{1b}[37m000000.000 RTS  active
        \u{1b}[31m000001.500 TX   0000  58 39 30 2E 41 42 43 44  45 46 47 48 49 4A 4B 4C  X90.ABCD
        000001.500 TX   0010  4D                                                M
        \u{1b}[32m000001.600 RX   <empty>
        000001.700 RX   0000  31 0A                                             1.

        """,
      lines: ["1.5 rx X90.ABCDEFGHIJKLM", "1.697916668 tx 1", "1.698958334 tx \\0a"]),
    Sample(
      name: "jpnevulator with names, text that looks like bytes, and no last newline",
      kind: .jpnevulator,
      log: """
        2026-01-31 12:00:00.000000: APP
        58 31\tX1
        31 2E\t1.
        2026-01-31 12:00:01.000000: BOARD
        41 42 43 44 45 46 47 48 49 4A 4B 4C 4D 4E 4F 20\t41 42
        0A
        """,
      lines: ["0 rx X11."]
        + "ABCDEFGHIJKLMNO".enumerated().map {
          "\(String(shortest: .nanoseconds(982_291_678 + Int64($0.offset) * 1_041_666))) tx "
            + String($0.element)
        } + ["0.997916668 tx \\20", "0.998958334 tx \\0a"]),
    Sample(
      name: "jpnevulator's rows without a tab", kind: .jpnevulator,
      log: """
        2015-08-30 13:23:49.461075: Radio: TX
        58 31 31 30 2E                                  X110.
        2015-08-30 13:23:49.961075: PC
        4C                                              L

        """,
      options: options { $0.direction = .reverse },
      lines: ["0 rx X110.", "0.498958334 tx L"]),
    Sample(
      name: "jpnevulator --byte-count --control", kind: .jpnevulator,
      log: """
        2026-03-04 10:20:30.100000: APP
        00000000\t58 34 35 2E                                    \tX45.
        2026-03-04 10:20:30.200000: BOARD
        le=0, dtr=1, rts=1, st=0, sr=0, cts=0, cd=0, ri=0, dsr=0
        00000000\t00 00 00 00 00 00 00 00 00 00 00 00 00 00 00 00\t................
        00000010\t6B                                             \tk
        2026-03-04 10:20:30.500000: APP
        00000004\t4C

        """,
      lines: ["0 rx X45."]
        + (0..<16).map {
          "\(String(shortest: .nanoseconds(82_291_678 + Int64($0) * 1_041_666))) tx \\00"
        } + ["0.098958334 tx k", "0.4 rx L"]),
    Sample(
      name: "jpnevulator --base binary", kind: .jpnevulator,
      log: """
        2026-03-04 10:20:30.100000: APP
        01011000 00110001 00101110                    \tX1.
        2026-03-04 10:20:30.500000: APP
        00000003\t01001100

        """,
      lines: ["0 rx X1.", "0.4 rx L"]),
    Sample(
      name: "ser2net with two lines of one write", kind: .ser2net,
      log: """
        2026/01/31 12:00:00 OPEN (ipv4,127.0.0.1,53256)
        2026/01/31 12:00:01 tcp  58 39 30 2e 58 31 30 30  |X90.X100|
        2026/01/31 12:00:01 tcp  2e                       |.|
        2026/01/31 12:00:03 term 6b                       |k|
        2026/01/31 12:00:04 CLOSE netcon (port closing)

        """,
      lines: ["0 rx X90.X100.", "1.998958334 tx k"]),
    Sample(
      name: "Portmon with its clock", kind: .portmon,
      log: """
        184\t11:26:50\tApp\tIRP_MJ_WRITE\tSerial0\tSUCCESS\tLength 3: 58 31 2E \t
        185\t11:26:50\tApp\tIRP_MJ_READ\tSerial0\tTIMEOUT\tLength 0: \t
        186\t11:26:52\tApp\tIRP_MJ_READ\tSerial0\tSUCCESS\tLength 1: 6B \t

        """,
      lines: ["0 rx X1.", "1.998958334 tx k"]),
    Sample(
      name: "Portmon without times, laid back to back", kind: .portmon,
      log: """
        0\t0.00000123\tApp\tIRP_MJ_WRITE\tSerial2\tSUCCESS\tLength 2: 58 31 \t
        1\t0.00000456\tApp\tIRP_MJ_READ\tSerial2\tSUCCESS\tLength 1: 6B \t

        """,
      options: options { $0.isLossy = true }, lines: ["0 rx X1", "0.002083332 tx k"]),
    Sample(
      name: "Serial Port Monitor with the month first", kind: .serialPortMonitor,
      log: """
        [01/02/2026 12:00:00] Written data (COM2) \t
            58 31                                             X1               \t
        [01/02/2026 12:00:01] Read data (COM2)
            41 42 43 44 45 46 47 48 49 4a 4b 4c 4d 4e 4f 50   AB CD EF
        [01/31/2026 12:00:01] Written data (COM2)
            4c                                                L

        """,
      lines: ["0 rx X1"]
        + "ABCDEFGHIJKLMNOP".enumerated().map {
          "\(String(shortest: .nanoseconds(983_333_344 + Int64($0.offset) * 1_041_666))) tx "
            + String($0.element)
        } + ["2505601 rx L"]),
    Sample(
      name: "Logic 2's table as text, with a negative time and an error", kind: .saleaeTable,
      log: #"""
        name,type,start_time,duration,"data","error"
        "RX","start",-0.2,0.1,,
        "RX","data",-0.1,0.00099,"X",
        "RX","data",-0.098958333,0.00099,"7",
        "TX","data",0.5,0.00099,"""",
        "TX","data",0.6,0.00099,"\n","framing"

        """#,
      lines: ["0 rx X7", "0.6 tx \"", "0.7 tx \\0a", "0.7 \"x-framing\", \"tx\", \"\\n\""]),
    Sample(
      name: "Logic 2's table, written again with quotes", kind: .saleaeTable,
      log: """
        "name","type","start_time","duration","data"
        "RX","data","0.1","0.00099","0x58"
        "RX","data","0.2","0.00099","0x2E"

        """,
      lines: ["0.1 rx X", "0.2 rx ."]),
    Sample(
      name: "Logic 1's export as numbers", kind: .saleaeAsync,
      log: """
        Time [s],Value,Parity Error,Framing Error
        0.500000000000000,9,,
        0.600000000000000,88,,

        """,
      lines: ["0.5 rx \\09", "0.6 rx X"]),
    Sample(
      name: "Logic 1's export as text", kind: .saleaeAsync,
      log: """
        Time [s],Value,Parity Error,Framing Error
        0.500000000000000,9,,
        0.501041666000000,' ',,
        0.600000000000000,COMMA,,
        0.700000000000000,'255',,Error

        """,
      lines: [
        "0.5 rx 9\\20", "0.6 rx ,", "0.7 rx \\ff", "0.7 \"x-framing\", \"rx\", \"\\u00ff\"",
      ]),
    Sample(
      name: "an iPhone app's own file", kind: .iphoneApp,
      log: """
        2026-01-31 12:00:00.204 X90.
        2026-01-31 12:00:00.237 X92.
        2026-01-31 12:00:01.001 L

        """,
      lines: ["0 rx X90.", "0.033 rx X92.", "0.797 rx L"]),
    Sample(
      name: "log show", kind: .iphoneApp,
      log: """
        Filtering the log data using "process == \"Turret\""
        Timestamp                       Thread     Type        Activity             PID    TTL
        2026-01-31 12:00:00.204817+0100 0x1c2f  Default  0x0  412  0  Turret: \
        [org.example.turret:link] sent X90.
        2026-01-31 12:00:00.237440+0100 0x1c2f  Default  0x0  412  0  Turret: \
        (LinkKit) [org.example.turret:link] face at 0.52
        2026-01-31 11:00:01.001203+0000 0x1c2f  Error    0x0  412  0  Turret: \
        [org.example.turret:link] sent L

        """,
      lines: ["0 rx X90.", "0.796386 rx L"]),
    Sample(
      name: "log show --style compact", kind: .iphoneApp,
      log: """
        Timestamp               Ty Process[PID:TID]
        2026-01-31 12:00:00.204 Df Turret[412:1c2f] [org.example.turret:link] sent X90.
        2026-01-31 12:00:00.237 E  My Turret[412:1c2f] (LinkKit) could not send X92.
        2026-01-31 12:00:01.001 Df Turret[412:1c2f] [org.example.turret:link] sent L

        """,
      lines: ["0 rx X90.", "0.797 rx L"]),
    Sample(
      name: "log show --style syslog", kind: .iphoneApp,
      log: """
        Timestamp                       (process)[PID]
        2026-01-31 12:00:00.204817+0100  localhost Turret[412]: (LinkKit) [org.example:link] sent X90.
        2026-01-31 12:00:01.001203+0100  localhost backboardd[60]: lost L

        """,
      lines: ["0 rx X90."]),
    Sample(
      name: "log show --style ndjson", kind: .iphoneApp,
      log: """
        {"timezoneName":"","messageType":"Default","processImagePath":"\\/private\\/Turret",\
        "timestamp":"2026-01-31 12:00:00.204817+0100","eventMessage":"sent \\"X90.\\"","processID":412}
        {"timezoneName":"","messageType":"Default","processImagePath":"\\/private\\/Turret",\
        "timestamp":"2026-01-31 12:00:01.001203+0100","eventMessage":"\\u2192 L","processID":412}
        {"count":2,"finished":1}

        """,
      lines: ["0 rx X90.", "0.796386 rx L"]),
    Sample(
      name: "log show --style json", kind: .iphoneApp,
      log: """
        [{
          "traceID" : 17,
          "eventMessage" : "sent X90.",
          "backtrace" : {
            "frames" : [
              {
                "imageOffset" : 4
              }
            ]
          },
          "processImagePath" : "\\/private\\/Turret",
          "timestamp" : "2026-01-31 12:00:00.204817+0100"
        },{
          "timestamp" : "2026-01-31 12:00:01.001203+0100",
          "eventMessage" : "sent L"
        }]

        """,
      options: options { $0.port = "Turret" }, lines: ["0 rx X90."]),
    Sample(
      name: "Xcode's console", kind: .iphoneApp,
      log: """
        2026-01-31 12:00:00.204817+0100 Turret[412:7215] sent X90.
        printed without a time
        2026-01-31 12:00:01.001203+0100 Turret[412:60b] [link] sent L

        """,
      lines: ["0 rx X90.", "0.796386 rx L"]),
    Sample(
      name: "lines copied from Console", kind: .iphoneApp,
      log: """
        default\t12:00:00.204817+0100\tTurret\tsent X90.
        error\t12:00:00.304817+0100\tMy Turret\tfailed to send X91.
        default 12:00:01.001203+0100  Turret  sent L

        """,
      lines: ["0 rx X90.", "0.796386 rx L"]),
    Sample(
      name: "an app that prints the time of day, past midnight", kind: .iphoneApp,
      log: "\u{FEFF}23:59:59.500 send: X90.\n00:00:00.250 send: L",
      lines: ["0 rx X90.", "0.75 rx L"]),
    Sample(
      name: "an app that prints its dates, and what it sent before", kind: .iphoneApp,
      log: "2026-01-31 11:00:00 +0000 X90.\n2026-01-31 11:00:00 +0000 X91. X92.\n",
      lines: ["0 rx X90.", "0 rx X91.X92."]),
  ]

  @Test(arguments: samples)
  func `a log becomes the session that it shows`(_ sample: Sample) throws {
    let converted = try Converted(sample.log, sample.options)
    #expect(converted.capture.summary.kind == sample.kind)
    #expect(converted.lines == sample.lines)
  }

  @Test(arguments: samples)
  func `a log with carriage returns is the same`(_ sample: Sample) throws {
    let log = sample.log.split(separator: "\n", omittingEmptySubsequences: false)
      .joined(separator: "\r\n")
    #expect(try Converted(log, sample.options).lines == sample.lines)
  }

  @Test func `two files of Logic 1 are one session, told apart by their names`() throws {
    let head = "Time [s],Value,Parity Error,Framing Error\n"
    let files = [
      CaptureFile(name: "tx.csv", bytes: Array((head + "0.2,0x6B,,\n").utf8)),
      CaptureFile(name: "rx.csv", bytes: Array((head + "0.1,0x58,,\n0.3,0x4C,,\n").utf8)),
    ]
    #expect(try Converted(files).lines == ["0.1 rx X", "0.2 tx k", "0.3 rx L"])
  }
}

/// What `tshark -T json` prints, as far as it matters. The shapes are those of tshark 4.0.
enum TsharkText {
  static func array(_ packets: [String]) -> String {
    "[\n" + packets.joined(separator: ",\n") + "\n]\n"
  }

  /// A packet of usbmon, as of Linux.
  static func packet(
    _ time: String, _ step: String, _ endpoint: UInt8, length: Int, kind: Int = 3, device: Int = 4,
    data: String?, interface: String = "0xff"
  ) -> String {
    let source = step == "S" ? "host" : "1.\(device).0"
    return """
        {
          "_index": "packets-2026-11-22",
          "_score": null,
          "_source": {
            "layers": {
              "frame": {
                "frame.encap_type": "115",
                "frame.time": "Nov 22, 2026 03:33:04.010000000 UTC \\"a\\"",
                "frame.time_epoch": "\(time)"
              },
              "usb": {
                "usb.src": "\(source)",
                "usb.urb_type": "'\(step)'",
                "usb.transfer_type": "0x0\(kind)",
                "usb.endpoint_address": "0x\(String(endpoint, radix: 16))",
                "usb.endpoint_address_tree": { "usb.endpoint_address.direction": "1" },
                "usb.device_address": "\(device)",
                "usb.bus_id": "1",
                "usb.urb_len": "\(length)",
                "usb.data_len": "\(data == nil ? 0 : length)",
                "usb.bInterfaceClass": "\(interface)"
              }\(data.map { ",\n            \($0)" } ?? "")
            }
          }
        }
      """
  }

  /// A packet of USBPcap, with the fields in arrays, as `-e` prints them.
  static func windowsPacket(
    _ time: String, _ direction: Int, _ endpoint: UInt8, _ data: String
  ) -> String {
    let fields = [
      ("frame.time_epoch", time), ("usb.irp_info.direction", "0x0\(direction)"),
      ("usb.transfer_type", "0x03"), ("usb.endpoint_address", "0x\(String(endpoint, radix: 16))"),
      ("usb.device_address", "4"), ("usb.bus_id", "2"),
      ("usb.data_len", "\(data.isEmpty ? 0 : (data.utf8.count + 1) / 3)"), ("usb.capdata", data),
    ].filter { !$0.1.isEmpty }.map { #""\#($0.0)": ["\#($0.1)"]"# }
    return #"{"_source": {"layers": {"# + fields.joined(separator: ", ") + "}}}"
  }
}
