/// An option of an address: a name and its arguments, separated by colons.
struct AddressOption: Hashable, Sendable {
  let text: String
  let name: String
  let arguments: [String]

  init(_ text: some StringProtocol) {
    self.text = String(text)
    let parts = self.text.split(separator: ":", omittingEmptySubsequences: false)
    name = String(parts[0])
    arguments = parts.dropFirst().map { String($0) }
  }

  var isPreset: Bool { name == "pr" || name == "preset" }

  /// The argument at an index, if it is present and not empty.
  subscript(index: Int) -> String? {
    index < arguments.count && !arguments[index].isEmpty ? arguments[index] : nil
  }

  func refusal(_ reason: String) -> AddressRefusal {
    AddressRefusal(status: 400, reason: "\(text): \(reason)")
  }

  func check(atMost count: Int) throws(AddressRefusal) {
    guard arguments.count <= count else {
      throw refusal("it has \(count) argument\(count == 1 ? "" : "s") at most")
    }
  }

  /// The same option, if it has at most one argument.
  func single() throws(AddressRefusal) -> AddressOption {
    try check(atMost: 1)
    return self
  }

  func integer(_ index: Int, in range: ClosedRange<Int>) throws(AddressRefusal) -> Int? {
    guard let text = self[index] else { return nil }
    guard text.utf8.allSatisfy({ (0x30...0x39).contains($0) }), text.utf8.count <= 18, let number = Int(text),
      range.contains(number)
    else {
      throw refusal(
        "a whole number from \(range.lowerBound) to \(range.upperBound) is needed, not \"\(text)\"")
    }
    return number
  }

  func number(_ index: Int, in range: ClosedRange<Double>) throws(AddressRefusal) -> Double? {
    guard let text = self[index] else { return nil }
    guard text.utf8.count <= 18,
      text.utf8.allSatisfy({ (0x30...0x39).contains($0) || $0 == 0x2E || $0 == 0x2D }),
      let number = Double(text), range.contains(number)
    else {
      throw refusal("a number from \(range.lowerBound) to \(range.upperBound) is needed, not \"\(text)\"")
    }
    return number
  }

  /// The argument as a length: whole pixels, or below 1 a fraction of a side. 0 if it is missing.
  func extent(_ index: Int) throws(AddressRefusal) -> Double {
    let length = try number(index, in: 0...65_535) ?? 0
    guard length < 1 || length == length.rounded() else {
      throw refusal("a length is a whole number, or a fraction below 1")
    }
    return length
  }

  /// The argument as a Boolean in one of the forms that imgproxy takes, those of Go: `True` is what Python writes.
  func flag(_ index: Int) throws(AddressRefusal) -> Bool? {
    guard let text = self[index] else { return nil }
    switch text {
    case "1", "t", "T", "true", "True", "TRUE": return true
    case "0", "f", "F", "false", "False", "FALSE": return false
    default: throw refusal("1 or 0 is needed, not \"\(text)\"")
    }
  }
}
