import OzuBase
import OzuImaging

/// The path of a picture, in the grammar of imgproxy: `/signature/options/plain/source@format`, or with the source
/// in base64url.
struct ImageAddress: Hashable, Sendable {
  /// The longest accepted path, in bytes.
  static let longest = 8192
  static let largestOptionCount = 64

  var source: URL
  var options: ImageOptions

  /// Reads a path.
  ///
  /// - Parameter now: the current date, for addresses that expire.
  /// - Throws: `AddressRefusal`: 403 for a signature or a source that is not accepted, 404 for a path without a
  ///   picture or an expired one, 400 for invalid options.
  init(_ target: String, rules: AddressRules, now: Date) throws(AddressRefusal) {
    let path = try Self.signedPath(of: target, rules)
    var segments = path.dropFirst().split(separator: "/", omittingEmptySubsequences: false)[...]
    var options = ImageOptions()
    for option in rules.presets["default"] ?? [] { try options.apply(option, rules) }
    try Self.readOptions(&segments, into: &options, rules)
    let (text, word) = try Self.source(of: segments)
    if options.isRaw {
      // The bytes of a source have no other format than their own, whatever the address says.
      options.type = nil
    } else if let word {
      guard let type = ImageOptions.type(word) else {
        throw AddressRefusal(status: 400, reason: "\(word): \(ImageOptions.reasonAgainst(format: word))")
      }
      options.type = type
    }
    let source = try rules.source(text)
    try Self.checkExpiry(options.expiry, now)
    self.source = source
    self.options = options
  }

  init(source: URL, options: ImageOptions) {
    self.source = source
    self.options = options
  }

  private static let noAddress = AddressRefusal(status: 404, reason: "this is not the address of a picture")

  /// The part of a target behind its signature, from its slash on.
  ///
  /// - Throws: `AddressRefusal` unless one of the keys has signed it, or none has to.
  static func signedPath(of target: some StringProtocol, _ rules: AddressRules) throws(AddressRefusal)
    -> String
  {
    guard target.utf8.count <= longest else {
      throw AddressRefusal(status: 414, reason: "the address is too long")
    }
    guard target.utf8.first == UInt8(ascii: "/"), !target.utf8.contains(UInt8(ascii: "?")),
      let end = target.dropFirst().firstIndex(of: "/")
    else { throw noAddress }
    let path = withAllSlashes(String(target[end...]), rules)
    guard rules.isOpen else {
      throw AddressRefusal(status: 403, reason: "no key is set, so no address can be signed")
    }
    let signature = target[target.index(after: target.startIndex)..<end]
    guard rules.allowsUnsigned || rules.keys.contains(where: { $0.signs(path, signature) }) else {
      throw AddressRefusal(status: 403, reason: "the signature is not valid")
    }
    return path
  }

  /// A path with the slashes behind the scheme of a plain source, as it was signed. A proxy that rewrites addresses makes one slash of
  /// several; imgproxy puts them back too.
  private static func withAllSlashes(_ path: String, _ rules: AddressRules) -> String {
    let mark = "/plain/".utf8
    var source = path.utf8[...]
    while !source.starts(with: mark) {
      guard let next = source.dropFirst().firstIndex(of: UInt8(ascii: "/")) else { return path }
      source = source[next...]
    }
    source = source.dropFirst(mark.count)
    let scheme = source.prefix { byte in
      (0x61...0x7A).contains(byte | 0x20) || (0x30...0x39).contains(byte) || "+-.".utf8.contains(byte)
    }
    let rest = source[scheme.endIndex...]
    guard !scheme.isEmpty, rest.starts(with: ":/".utf8), !rest.starts(with: "://".utf8) else { return path }
    // Two of them, and that of a path in the folder without a name.
    let isNameless = scheme.elementsEqual("local".utf8) && rules.folders.contains("")
    let end = rest.index(after: rest.startIndex)
    return "\(path[..<end])/\(isNameless ? "/" : "")\(path[end...])"
  }

  /// The source that the last segments name, and the word for a format behind it.
  static func source(
    of segments: ArraySlice<Substring>
  ) throws(AddressRefusal) -> (text: String, word: String?) {
    guard let first = segments.first else { throw noAddress }
    return first == "plain" ? try plain(segments.dropFirst()) : try encoded(segments)
  }

  static func checkExpiry(_ expiry: Int?, _ now: Date) throws(AddressRefusal) {
    if let expiry, expiry > 0, now.timeIntervalSince1970 >= Double(expiry) {
      throw AddressRefusal(status: 404, reason: "the address has expired")
    }
  }

  /// Removes the options from the front and applies them.
  static func readOptions(
    _ segments: inout ArraySlice<Substring>, into options: inout ImageOptions, _ rules: AddressRules
  ) throws(AddressRefusal) {
    if rules.onlyPresets {
      guard let names = segments.first, names != "plain", segments.count > 1 else { return }
      segments.removeFirst()
      try apply(names.split(separator: ":").map(String.init), to: &options, rules)
      return
    }
    for option in try takeOptions(&segments) {
      guard rules.allowedOptions.isEmpty || rules.allowedOptions.contains(option.name) else {
        throw option.refusal("this option is not allowed here")
      }
      try apply(option, to: &options, rules)
    }
  }

  static func takeOptions(
    _ segments: inout ArraySlice<Substring>
  ) throws(AddressRefusal) -> [AddressOption] {
    let options = segments.prefix { $0.contains(":") }
    guard options.count <= largestOptionCount else {
      throw AddressRefusal(status: 400, reason: "an address has \(largestOptionCount) options at most")
    }
    segments.removeFirst(options.count)
    return options.map { AddressOption($0) }
  }

  private static func apply(
    _ option: AddressOption, to options: inout ImageOptions, _ rules: AddressRules
  ) throws(AddressRefusal) {
    guard option.isPreset else { return try options.apply(option, rules) }
    try apply(option.arguments, to: &options, rules)
  }

  private static func apply(
    _ names: [String], to options: inout ImageOptions, _ rules: AddressRules
  ) throws(AddressRefusal) {
    guard names.count <= largestOptionCount else {
      throw AddressRefusal(status: 400, reason: "an address has \(largestOptionCount) presets at most")
    }
    for name in names {
      guard let preset = rules.presets[name] else {
        throw AddressRefusal(status: 400, reason: "\(name): there is no such preset")
      }
      for option in preset { try options.apply(option, rules) }
    }
  }

  private static func plain(
    _ segments: ArraySlice<Substring>
  ) throws(AddressRefusal) -> (text: String, word: String?) {
    let parts = segments.joined(separator: "/").split(separator: "@", omittingEmptySubsequences: false)
    guard parts.count <= 2 else {
      throw AddressRefusal(status: 400, reason: "an @ in the source is written as %40")
    }
    guard let source = String(parts[0]).percentDecoded else {
      throw AddressRefusal(status: 400, reason: "the percent escapes of the source are invalid")
    }
    return (source, parts.count == 2 && !parts[1].isEmpty ? String(parts[1]) : nil)
  }

  private static func encoded(
    _ segments: ArraySlice<Substring>
  ) throws(AddressRefusal) -> (text: String, word: String?) {
    let parts = segments.joined().split(separator: ".", omittingEmptySubsequences: false)
    guard parts.count <= 2, let bytes = Base64URL.bytes(of: parts[0]), !bytes.isEmpty,
      let source = String(validating: bytes, as: UTF8.self)
    else { throw noAddress }
    return (source, parts.count == 2 && !parts[1].isEmpty ? String(parts[1]) : nil)
  }

  /// The path after the signature, in the one form that this type writes.
  var path: String { path(with: options.segments) }

  /// The path after the signature, with its options in this form.
  func path(with segments: [String]) -> String {
    let segments = segments.map { "/\($0)" }.joined()
    let word = options.type.map { "@\($0.fileExtension)" } ?? ""
    return "\(segments)/plain/\(Self.escaped(source.absoluteString))\(word)"
  }

  /// The text with all characters escaped (`%` and two digits) except letters, digits and a few marks.
  static func escaped(_ text: String) -> String { PercentEncoding.encoded(text, keeping: "-._~:/") }
}
