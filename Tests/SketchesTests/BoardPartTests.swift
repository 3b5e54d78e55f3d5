import Sketches
import Testing

struct BoardPartTests {
  @Test(
    arguments: [
      ("hc-sr04@D7:D8", "hc-sr04@D7:D8"), ("hc-sr04@7:8", "hc-sr04@D7:D8"), ("x@14", "x@A0"),
      ("pca9685@0x40", "pca9685@0x40"), ("pca9685@0X40", nil), ("pca9685@0x7F", "pca9685@0x7f"),
      ("pca9685@0x80", nil), ("pca9685@0x040", nil), ("pca9685@0x+4", nil), ("pca9685@", nil),
      ("@D7", nil), ("hc-sr04", nil), ("HC@D7", nil), ("a@D7@D8", nil), ("a@D14", nil),
      ("a@D7:", nil), ("a@pca9685@0x40:1", nil), ("a@A6", nil), ("a b@D7", nil),
      ("a@2:3:4:5:6:7:8:9", "a@D2:D3:D4:D5:D6:D7:D8:D9"), ("a@2:3:4:5:6:7:8:9:10", nil),
      ("abcdefghijklmnopqrstu@D7", nil),
    ] as [(String, String?)])
  func `A part's name is its kind and its address or its pins`(_ text: String, _ name: String?) {
    #expect(BoardPart(text)?.name == name)
    if let name { #expect(BoardPart(name) == BoardPart(text)) }
  }
}
