import Foundation
import Testing

#if canImport(FoundationXML)
  import FoundationXML
#endif

/// What a parser finds in a report.
final class XMLReport: NSObject, XMLParserDelegate {
  /// The elements, in order.
  private(set) var names: [String] = []
  /// The attributes of all of them; of those of one name the innermost.
  private(set) var attributes: [String: String] = [:]

  init(_ text: String) throws {
    super.init()
    let parser = XMLParser(data: Data(text.utf8))
    parser.delegate = self
    try #require(parser.parse(), "no XML: \(text)")
  }

  func parser(
    _ parser: XMLParser, didStartElement name: String, namespaceURI: String?,
    qualifiedName: String?, attributes: [String: String] = [:]
  ) {
    names.append(name)
    self.attributes.merge(attributes) { $1 }
  }
}
