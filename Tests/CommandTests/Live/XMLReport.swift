import Foundation
import Testing

#if canImport(FoundationXML)
  import FoundationXML
#endif

/// The contents of an XML report.
final class XMLReport: NSObject, XMLParserDelegate {
  /// The elements, in order.
  private(set) var names: [String] = []
  /// The attributes of all elements. If several have one of the same name, the last one counts.
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
