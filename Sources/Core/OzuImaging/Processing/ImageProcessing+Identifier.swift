extension ImageProcessing where Self: Encodable {
  /// The name of the type with its stored properties, each with its name and exact value:
  /// `App.Posterize(levels:8)`.
  ///
  /// It is made by encoding the processor, so a type with its own `encode(to:)` decides which values appear. Two
  /// private types with one name in one module have equal names here: give their stored properties different names,
  /// or write the identifiers by hand.
  ///
  /// - Precondition: encoding the processor does not throw.
  public var identifier: String {
    do {
      let values = try EncodedText.text(of: self)
      return TypeName.stable(of: Self.self) + (values.hasPrefix("(") ? values : "(\(values))")
    } catch {
      // Any fixed text could equal the identifier of another processor.
      preconditionFailure("\(Self.self) cannot be encoded (\(error)): give it an identifier")
    }
  }
}

/// Names of types that are the same in every run of a program.
enum TypeName {
  /// The name with its module and the surrounding types. For types that are private to a file or a function, the
  /// runtime's name contains an address, which is removed.
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
