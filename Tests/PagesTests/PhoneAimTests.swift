import Testing
import Traces

@testable import Pages

@Suite struct PhoneAimTests {
  private static let header =
    #"{"format": "sentry-observations", "version": 1, "image": [320, 240], "view": [400, 300]}"#

  private static func ask(_ aim: inout PhoneAim, _ request: String) -> PageAnswer {
    aim.answer(Array(request.utf8))
  }

  /// Returns an aim with a camera; fails if the camera is refused.
  private static func begun(_ options: String = "{}", header: String = header) -> PhoneAim {
    var aim = PhoneAim()
    #expect(ask(&aim, "camera \(options)\n\(header)") == PageAnswer(.result, []))
    return aim
  }

  /// Returns what a request shows, as JSON; fails if it is refused.
  private static func shown(_ aim: inout PhoneAim, _ request: String) throws -> JSONValue {
    let answer = ask(&aim, request)
    #expect(answer.kind == .result, "\(request): \(String(decoding: answer.bytes, as: UTF8.self))")
    return try #require(try JSONValue.contents(of: answer.bytes, path: "answer")["sighting"])
  }

  private static func see(_ found: String, at time: Int = 0) -> String {
    "see \(time) 0\n{\"t\": \(time), \"found\": [\(found)]}"
  }

  private static func face(_ box: String, confidence: String = "0.97") -> String {
    #"{"kind": "face", "box": [\#(box)], "confidence": \#(confidence)}"#
  }

  private static func text(_ value: JSONValue?) -> String? {
    if case .string(let text) = value { text } else { nil }
  }

  private static func message(_ answer: PageAnswer) -> String? {
    answer.kind == .failure ? String(decoding: answer.bytes, as: UTF8.self) : nil
  }

  @Test func `What is shown of a face is its box, two lines, the angle and the command`() throws {
    var aim = Self.begun()
    let found = [Self.face("0.5, 0.5, 0.25, 0.25"), Self.face("0, 0, 0.1, 0.1", confidence: "0.5")]
    let shown = try Self.shown(&aim, Self.see(found.joined(separator: ", ")))
    #expect(
      shown.text == """
        {"command": "X102.", "degrees": 102, "title": "Target found", \
        "description": "Shooting X: 102 | Y: 77", \
        "target": {"box": [200, 75, 100, 75], "kind": "face", "label": null, "confidence": 0.97}, \
        "others": [{"box": [0, 270, 40, 30], "kind": "face", "label": null, "confidence": 0.5}]}
        """)
  }

  /// The view is 400 x 300 points.
  @Test func `Landmarks are shown in the view, and aimed at if that is requested`() throws {
    var aim = Self.begun(#"{"at": "nose"}"#)
    let face = #"""
      {"kind": "face", "box": [0.5, 0.5, 0.25, 0.25], "confidence": 1, \#
      "landmarks": {"nose": [[0.9, 0.5]], "leftEye": [[0.5, 0.8], [0.7, 1]]}}
      """#
    let shown = try Self.shown(&aim, Self.see(face))
    #expect(Self.text(shown["command"]) == "X112.")
    #expect(
      shown["target"]?["landmarks"]?.text
        == #"{"leftEye": [[250, 90], [270, 75]], "nose": [[290, 112.5]]}"#)
  }

  @Test func `A face that moves is led only if that is requested`() throws {
    let header =
      #"{"format": "sentry-observations", "version": 1, "image": [320, 240], "fov": 60}"#
    func degrees(_ options: String) throws -> Int? {
      var aim = Self.begun(options, header: header)
      var last: JSONValue?
      for step in 0..<30 {
        let box = "\(0.3 + Double(step) / 100), 0.4, 0.1, 0.1"
        let time = String(Double(step) / 20)
        let frame = "{\"t\": \(time), \"found\": [\(Self.face(box))]}"
        last = try Self.shown(&aim, "see \(time) 0\n\(frame)")
      }
      guard case .number(let text)? = last?["degrees"] else { return nil }
      return Int(text)
    }
    // Its middle has arrived at 0.64 of the picture, at 13 degrees a second.
    let here = try degrees(#"{"mapping": "fov"}"#)
    #expect(here == 99)
    #expect(try degrees(#"{"mapping": "fov", "follow": false, "lead": 0.5}"#) == here)
    let led = try degrees(#"{"mapping": "fov", "follow": true, "age": 0, "lead": 0.5}"#)
    #expect((103...107).contains(led ?? 0), "\(led ?? 0)")
    var aim = PhoneAim()
    let refused = Self.ask(&aim, "camera {\"follow\": 1}\n\(header)")
    #expect(Self.message(refused) == "expected \"follow\" to be true or false, found 1")
  }

  @Test func `Without a face it is in sentry mode`() throws {
    var aim = Self.begun()
    #expect(
      try Self.shown(&aim, Self.see("")).text == """
        {"command": "L", "degrees": null, "title": "Sentry mode", "description": "No targets", \
        "target": null, "others": []}
        """)
  }

  /// Requests, and the command that answers each.
  @Test(
    arguments: [
      (
        ["left", "left", "right", "none", "none", "left"], ["X52.", nil, "X127.", "L", nil, "X52."]
      ),
      (["left", "lose", "lose", "left"], ["X52.", "L", nil, "X52."]),
      (["left", "none", "lose"], ["X52.", "L", nil]),
      (["lose", "none"], ["L", nil]),
      (["left", "start", "left"], ["X52.", "X52."]),
      (["none", "wake", "lose"], ["L", "L"]),
    ] as [([String], [String?])])
  func `A command is sent when it changes, and to one that knows nothing`(
    _ requests: [String], _ commands: [String?]
  ) throws {
    var aim = Self.begun()
    var sent: [String?] = []
    for request in requests {
      switch request {
      case "start", "wake": #expect(Self.ask(&aim, "\(request) 0 0").kind == .result)
      case "lose": sent.append(Self.text(try Self.shown(&aim, "lose 0 0")["command"]))
      default:
        let places = ["left": "0, 0.4, 0.25, 0.25", "right": "0.75, 0.4, 0.25, 0.25"]
        let found = places[request].map { Self.face($0) } ?? ""
        sent.append(Self.text(try Self.shown(&aim, Self.see(found))["command"]))
      }
    }
    #expect(sent == commands)
  }

  @Test func `A phone that is turned has its picture's sides swapped, and aims in its own view`()
    throws
  {
    for (image, view) in [("320, 240", "844, 390"), ("240, 320", "390, 844")] {
      let header =
        #"{"format": "sentry-observations", "version": 1, "image": [\#(image)], "#
        + #""view": [\#(view)]}"#
      for mirrored in [false, true] {
        var aim = Self.begun(
          #"{"gravity": "aspect-fill"}"#,
          header: mirrored ? header.dropLast() + #", "mirrored": true}"# : header)
        let middle = try Self.shown(&aim, Self.see(Self.face("0.4, 0.4, 0.2, 0.2")))
        #expect(Self.text(middle["command"]) == "X90.")
        let right = try Self.shown(&aim, Self.see(Self.face("0.9, 0.4, 0.4, 0.2")))
        #expect(Self.text(right["command"]) == (mirrored ? "X40." : "X140."))
      }
    }
  }

  @Test(arguments: [
    (#"{"mirror": true}"#, "X128."), (#"{"gravity": "aspect-fill"}"#, "X52."),
    (#"{"min-confidence": 0.98}"#, "L"), (#"{"min-height": 0.5}"#, "L"),
    (#"{"label": "cat"}"#, "L"), (#"{"stick": 1.2, "max-overlap": 0.5}"#, "X52."),
    (#"{"mapping": "linear"}"#, "X52."), ("", "X52."),
  ])
  func `Options are those of aim`(_ options: String, _ command: String) throws {
    var aim = Self.begun(options)
    let shown = try Self.shown(&aim, Self.see(Self.face("0, 0.4, 0.25, 0.25")))
    #expect(Self.text(shown["command"]) == command)
  }

  @Test(arguments: [
    ("{", #"options:1:2: error: expected a key in quotes, found the end of the line"#),
    ("[1]", "expected options in an object, found a list"),
    (#"{"stick": "1"}"#, #"expected "stick" to be a number, found "1""#),
    (#"{"stick": 0.5}"#, "the stick factor must be 1 or more"),
    (#"{"mirror": 1}"#, #"expected "mirror" to be true or false, found 1"#),
    (#"{"label": 1}"#, #"expected "label" to be a text, found 1"#),
    (#"{"mapping": "x"}"#, #"expected "mapping" to be "linear" or "fov", found "x""#),
    (#"{"mapping": "fov"}"#, "the true angle needs the camera's field of view"),
    (#"{"colour": 1}"#, #"expected an option of the page, found "colour""#),
  ])
  func `An option that is not one is refused`(_ options: String, _ message: String) {
    var aim = PhoneAim()
    #expect(Self.message(Self.ask(&aim, "camera \(options)\n\(Self.header)")) == message)
  }

  @Test(arguments: [
    ("", "expected camera, or a word and the time in seconds"),
    ("lose", "expected camera, or a word and the time in seconds"),
    ("lose nan 0", "expected camera, or a word and the time in seconds"),
    ("fire 5 0", "expected see, lose or an event of the connection"),
    ("see 5 0\n", "column 1: expected a frame, which starts with '{', found the end of the line"),
    ("see 5 0\n{\"t\": 1, \"found\": [}]}", nil),
    ("see 5 0\n\u{0}\u{1}", nil),
    ("see 5 0\n{\"t\": -1, \"found\": []}", nil),
    ("see 5 0\n{\"t\": 1, \"found\": []} x", nil),
    ("camera {}\n{}", nil), ("camera {}", nil),
  ])
  func `A wrong request is refused and changes nothing`(_ request: String, _ message: String?)
    throws
  {
    var aim = Self.begun()
    _ = try Self.shown(&aim, Self.see("", at: 5))
    let answer = Self.message(Self.ask(&aim, request))
    #expect(answer != nil)
    if let message { #expect(answer == message) }
    #expect(Self.text(try Self.shown(&aim, Self.see("", at: 5))["command"]) == nil)
  }

  @Test func `Time does not go back, and the frame is left out`() throws {
    var aim = Self.begun()
    _ = try Self.shown(&aim, Self.see("", at: 5))
    let answer = Self.message(Self.ask(&aim, Self.see(Self.face("0, 0, 1, 1"), at: 4)))
    #expect(answer?.hasPrefix("column 7: expected a time that is not before") == true)
    #expect(Self.text(try Self.shown(&aim, "lose 6 0")["command"]) == nil)
  }

  @Test func `Nothing can be seen before there is a camera`() throws {
    var aim = PhoneAim()
    #expect(Self.message(Self.ask(&aim, Self.see(""))) == "expected a camera first")
    #expect(try Self.shown(&aim, "lose 0 0").text == "null")
  }
}
