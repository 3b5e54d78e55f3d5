/// A simple C++ name, decoded from its mangled form (Itanium C++ ABI, "External Names"): nested
/// names, constructors and destructors, without parameters. Templates, operators and the like are
/// not decoded.
struct DemangledName {
  /// `Servo::write`
  let text: String

  /// Returns nil if the name is not mangled or not simple.
  init?(_ mangled: String) {
    var rest = Substring(mangled).utf8
    func take(_ prefix: StaticString) -> Bool {
      let text = prefix.description.utf8
      guard rest.starts(with: text) else { return false }
      rest = rest.dropFirst(text.count)
      return true
    }
    func takeIdentifier() -> String? {
      _ = take("L")
      let digits = rest.prefix { $0 >= 0x30 && $0 <= 0x39 }
      guard let length = Int(String(decoding: digits, as: UTF8.self)), length > 0 else {
        return nil
      }
      rest = rest.dropFirst(digits.count)
      let identifier = rest.prefix(length)
      guard identifier.count == length else { return nil }
      rest = rest.dropFirst(length)
      let name = String(decoding: identifier, as: UTF8.self)
      return name.hasPrefix("_GLOBAL__N") ? "(anonymous namespace)" : name
    }

    guard take("_Z") else { return nil }
    guard take("N") else {
      guard let name = takeIdentifier(), !take("I") else { return nil }
      text = name
      return
    }
    for qualifier in ["r", "V", "K"] as [StaticString] { _ = take(qualifier) }
    var names: [String] = []
    while !take("E") {
      if let last = names.last, take("C1") || take("C2") {
        names.append(last)
      } else if let last = names.last, take("D0") || take("D1") || take("D2") {
        names.append("~" + last)
      } else if let name = takeIdentifier() {
        names.append(name)
      } else {
        return nil
      }
    }
    guard !names.isEmpty else { return nil }
    text = names.joined(separator: "::")
  }
}
