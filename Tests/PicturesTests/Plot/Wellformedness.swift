import Foundation

#if canImport(FoundationXML)
  import FoundationXML
#endif

/// The elements that an XML parser finds in a picture.
final class Wellformedness: NSObject, XMLParserDelegate {
  struct Text {
    var styles: [String]
    var x: Double
    var y: Double
    var anchor: String
    var content = ""
  }

  private(set) var texts: [Text] = []
  private(set) var classes: Set<String> = []
  private(set) var elements: [String: Int] = [:]
  private(set) var references: [String] = []
  private(set) var title = ""
  private var stack: [String] = []

  /// Nil if the text is not well-formed.
  init?(_ svg: String) {
    super.init()
    let parser = XMLParser(data: Data(svg.utf8))
    parser.delegate = self
    guard parser.parse() else { return nil }
  }

  func parser(
    _ parser: XMLParser, didStartElement name: String, namespaceURI: String?,
    qualifiedName: String?, attributes: [String: String] = [:]
  ) {
    stack.append(name)
    elements[name, default: 0] += 1
    let names = (attributes["class"] ?? "").split(separator: " ").map(String.init)
    classes.formUnion(names)
    for key in ["href", "xlink:href", "src"] { references += [attributes[key]].compactMap { $0 } }
    if name == "text" {
      texts.append(
        Text(
          styles: names, x: Double(attributes["x"] ?? "") ?? .nan,
          y: Double(attributes["y"] ?? "") ?? .nan, anchor: attributes["text-anchor"] ?? ""))
    }
  }

  func parser(_ parser: XMLParser, foundCharacters string: String) {
    if stack.contains("text") { texts[texts.count - 1].content += string }
    if stack == ["svg", "title"] { title += string }
  }

  func parser(
    _ parser: XMLParser, didEndElement name: String, namespaceURI: String?, qualifiedName: String?
  ) {
    stack.removeLast()
  }
}
