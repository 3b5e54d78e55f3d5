import Sketches

extension ClientID: ExpressibleByIntegerLiteral {
  package init(integerLiteral value: Int) { self.init(value) }
}
