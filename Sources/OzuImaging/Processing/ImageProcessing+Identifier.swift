extension ImageProcessing where Self: Encodable {
  /// The name of the type with its stored values, each named and printed exactly: `App.Posterize(levels:8)`.
  ///
  /// Made by encoding the step, so a type that writes its own `encode(to:)` decides what is named. Private types of one
  /// name in one module have one name here: they need stored properties of different names, or identifiers by hand.
  ///
  /// - Precondition: encoding the step does not throw.
  public var identifier: String {
    do {
      let values = try EncodedText.text(of: self)
      return TypeName.stable(of: Self.self) + (values.hasPrefix("(") ? values : "(\(values))")
    } catch {
      // Any text would be taken for that of other steps.
      preconditionFailure("\(Self.self) cannot be encoded (\(error)): give it an identifier")
    }
  }
}

/// Names of types that are the same in every run of a program.
enum TypeName {
  /// The name with those of its module and of the types around it. In place of what is private to a file or a function
  /// the name of the runtime has an address, which is left out.
  static func stable(of type: Any.Type) -> String {
    var name = ""
    var rest = Substring(String(reflecting: type))
    while let start = rest.firstRange(of: "(unknown context at "),
      let end = rest[start.upperBound...].firstIndex(of: ")")
    {
      name += rest[..<start.lowerBound]
      rest = rest[rest.index(after: end)...]
      if rest.first == "." { rest.removeFirst() }
    }
    return name + rest
  }
}
