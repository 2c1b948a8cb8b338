import Ozu
import OzuBase
import OzuHTTP

/// Addresses in the grammar of imgproxy, signed by a key: `/signature/rs:fill:320:240/plain/https://example.com/cat.jpg@webp`.
///
/// ```swift
/// var rules = AddressRules(keys: [try AddressKey(hexKey: key, salt: salt)])
/// rules.sources = ["https://*.example.com/images/"]
/// let service = try ImageService(addressing: SignedAddresses(rules))
/// ```
public struct SignedAddresses: PictureAddressing {
  /// The rules for addresses.
  public let rules: AddressRules

  /// Makes the grammar. If the rules have no key and do not allow unsigned addresses, every address is refused.
  public init(_ rules: AddressRules) { self.rules = rules }

  /// The picture that a path names.
  ///
  /// - Throws: `AddressRefusal`.
  public func picture(for request: ServiceRequest, at date: Date) throws(AddressRefusal) -> AddressedPicture {
    let address = try ImageAddress(request.target, rules: rules, now: date)
    var options = address.options
    var fields: [String] = []
    var density = 1.0
    if rules.usesClientHints {
      if options.density == nil {
        fields += ["Sec-CH-DPR", "DPR"]
        density = Self.hint("DPR", request.headers, in: 0.1...rules.largestDensity) ?? 1
      }
      if options.width == 0, options.height == 0 {
        fields += ["Sec-CH-Width", "Width"]
        if let width = Self.hint("Width", request.headers, in: 1...Double(rules.largestSide)) {
          // The width is in pixels already. Neither rounding nor a zoom may make more pixels of it than a result may have.
          let scale = options.density ?? density
          let room = (Double(rules.largestSide) / scale).rounded(.down)
          let largest = Int(clamping: room / max(1, options.zoomX), rounded: .down)
          let points = Int(clamping: width / scale, rounded: .toNearestOrAwayFromZero)
          options.width = max(1, min(points, largest))
        }
      }
    }
    var picture = try options.picture(
      of: rules.access.source(address.source), density: density, accept: request.headers["Accept"],
      rules: rules)
    if CardTemplates.isCard(address.source) {
      guard let cards = rules.cards, !picture.needsSource else {
        throw AddressRefusal(status: 400, reason: "a card has no file")
      }
      let request = picture.request
      picture.request = ImageRequest(
        canvas: try cards.canvas(address.source, rules), resize: request.resize,
        processors: request.processors)
    }
    picture.varyingFields += fields
    // The result stays valid until the expiry, because the rules do not change.
    let expiry = options.expiry.flatMap { $0 > 0 ? Date(timeIntervalSince1970: Double($0)) : nil }
    (picture.expiry, picture.reusableUntil) = (expiry, expiry ?? .distantFuture)
    return picture
  }

  /// The facts about a source that a path asks for: `/info/signature/options/plain/source`, where ``AddressRules/information``
  /// allows it.
  ///
  /// - Throws: `AddressRefusal`.
  public func information(
    for request: ServiceRequest, at date: Date
  ) throws(AddressRefusal) -> AddressedInformation? {
    let prefix = "/info/"
    guard request.target.hasPrefix(prefix), rules.information != .none else { return nil }
    return try InformationAddress(request.target.dropFirst(prefix.count - 1), rules: rules, now: date)
      .information(rules)
  }

  /// The number in a client hint, limited to the allowed range.
  private static func hint(_ name: String, _ headers: HTTPHeaders, in range: ClosedRange<Double>) -> Double? {
    guard let text = headers.first("Sec-CH-\(name)") ?? headers.first(name),
      text.utf8.count <= 16, text.utf8.allSatisfy({ (0x30...0x39).contains($0) || $0 == 0x2E }),
      let number = Double(text)
    else { return nil }
    return min(max(number, range.lowerBound), range.upperBound)
  }

  /// The path of a picture, signed by the first key. If there is no key, it has `unsafe` instead of a signature.
  ///
  /// - Parameters:
  ///   - source: the address of the picture.
  ///   - options: as they are written in a path, such as `rs:fill:320:240/q:70`. The options of presets are written out, unless the
  ///     rules allow only some options or have a preset `default`. Default: none.
  ///   - format: the word for a format, such as `webp`. `nil`, the default, lets the client choose.
  /// - Throws: `AddressRefusal` if the service would refuse the path.
  public func path(
    of source: URL, options: String = "", format: String? = nil
  ) throws(AddressRefusal) -> String {
    var address = ImageAddress(source: source, options: ImageOptions())
    let written = options.split(separator: "/")
    var segments = written[...]
    segments.append("plain")
    try ImageAddress.readOptions(&segments, into: &address.options, rules)
    guard segments.count == 1 else {
      throw AddressRefusal(status: 400, reason: "\(segments.joined(separator: "/")): this is no option")
    }
    if let format {
      guard let type = ImageOptions.type(format) else {
        throw AddressRefusal(status: 400, reason: "\(format): there is no such format")
      }
      address.options.type = type
    }
    _ = try rules.source(source.absoluteString)
    // An option that takes back what the default preset says has no effect without that preset.
    let staysWritten =
      rules.onlyPresets || !rules.allowedOptions.isEmpty || rules.presets["default"] != nil
    let path = staysWritten ? address.path(with: written.map(String.init)) : address.path
    return "/\(rules.keys.first?.signature(of: path) ?? "unsafe")\(path)"
  }
}
