public import Ozu
import OzuBase
import OzuImaging

/// How much a service tells about a source.
public enum InformationDetail: String, Hashable, Sendable, CaseIterable {
  /// Nothing: `/info/…` is no address.
  case none
  /// Its file, its size, its colours, and small pictures of it as texts.
  case picture
  /// Also what a camera and people wrote beside it, without the place.
  case metadata
  /// Also the place.
  case everything
}

/// The facts about a source that a request asks for.
public struct AddressedInformation: Sendable {
  /// The source.
  public var source: ImageSource
  /// The facts.
  public var facts: InformationFacts
  /// The date at which the address expires. `nil`, the default, if it does not.
  public var expiry: Date?

  /// Makes a request for facts.
  public init(source: ImageSource, facts: InformationFacts = InformationFacts()) {
    self.source = source
    self.facts = facts
  }
}

/// Facts about a source, in the words of imgproxy's addresses.
public struct InformationFacts: Hashable, Sendable {
  /// The number of bytes. Default: true.
  public var hasByteCount = true
  /// The format and the media type. Default: true.
  public var hasFormat = true
  /// The width, the height and the stored orientation. Default: true.
  public var hasDimensions = true
  /// What the file says about the picture in EXIF data. Default: false.
  public var hasEXIF = false
  /// The same in IPTC-IIM. Default: false.
  public var hasIPTC = false
  /// The same in XMP. Default: false.
  public var hasXMP = false
  /// Whether the place is among these. Default: false.
  public var hasPlace = false
  /// Whether the fields of EXIF data have their names in the standard; else they have spaces between words. Default: false.
  public var hasCanonicalNames = false
  /// The colour model, and the name of the profile. Default: false.
  public var hasColors = false
  /// The number of components of a pixel. Default: false.
  public var hasBands = false
  /// The kind of numbers of a component. Default: false.
  public var hasSampleFormat = false
  /// The number of frames or pages. Default: false.
  public var hasFrameCount = false
  /// Whether there is an alpha channel. Default: false.
  public var hasAlpha = false
  /// Whether any pixel is transparent. Default: false.
  public var hasTransparency = false
  /// The mean colour. Default: false.
  public var hasAverage = false
  /// The most frequent colour, and those that a design may take: vibrant and muted, each dark and light too. Default: false.
  public var hasDominantColor = false
  /// Whether those of these colours that the picture lacks are made of the others. Default: false.
  public var completesDominantColors = false
  /// The most colours of the palette, from 2 to 256. Default: 0, for none.
  public var paletteCount = 0
  /// The components of a BlurHash. Default: `nil`, for none.
  public var blurHash: PixelSize?
  /// The ThumbHash. Default: false.
  public var hasThumbHash = false
  /// The digests of the file: `md5`, `sha1`, `sha256` and `sha512`. Default: none.
  public var digests: Set<String> = []
  /// The digest that the file must have, in hexadecimal digits in lower case, whose number says the kind. Default: `nil`.
  public var expectedDigest: String?
  /// What is demanded of the source.
  public var limits = SourceLimits()

  /// Makes the facts that every answer has.
  public init() {}

  var needsMetadata: Bool { hasEXIF || hasIPTC || hasXMP }
  var needsPixels: Bool {
    hasTransparency || hasAverage || hasDominantColor || paletteCount > 0 || blurHash != nil || hasThumbHash
  }
}

/// The path of facts behind `/info`, as of a picture without a format: `/signature/options/plain/source`.
struct InformationAddress {
  let source: URL
  let facts: InformationFacts
  let expiry: Int?

  init(_ target: some StringProtocol, rules: AddressRules, now: Date) throws(AddressRefusal) {
    let path = try ImageAddress.signedPath(of: target, rules)
    var segments = path.dropFirst().split(separator: "/", omittingEmptySubsequences: false)[...]
    var facts = InformationFacts()
    let showsMetadata = [.metadata, .everything].contains(rules.information)
    (facts.hasEXIF, facts.hasIPTC, facts.hasXMP) = (showsMetadata, showsMetadata, showsMetadata)
    facts.hasPlace = rules.information == .everything
    var expiry: Int?
    for option in try ImageAddress.takeOptions(&segments) {
      switch option.name {
      case "cachebuster", "cb": try option.check(atMost: 1)
      case "expires", "exp": expiry = try option.single().integer(0, in: 0...Int.max)
      default: try facts.apply(option)
      }
    }
    if facts.needsMetadata, !showsMetadata {
      throw AddressRefusal(status: 400, reason: "this service shows no EXIF data, IPTC-IIM and XMP")
    }
    let (text, word) = try ImageAddress.source(of: segments)
    guard word == nil else { throw AddressRefusal(status: 400, reason: "facts have no format") }
    source = try rules.source(text)
    guard !CardTemplates.isCard(source) else {
      throw AddressRefusal(status: 400, reason: "a card has no file")
    }
    try ImageAddress.checkExpiry(expiry, now)
    (self.facts, self.expiry) = (facts, expiry)
  }

  func information(_ rules: AddressRules) -> AddressedInformation {
    var information = AddressedInformation(source: rules.access.source(source), facts: facts)
    information.expiry = expiry.flatMap { $0 > 0 ? Date(timeIntervalSince1970: Double($0)) : nil }
    return information
  }
}

extension InformationFacts {
  /// Applies an option.
  ///
  /// - Throws: `AddressRefusal` for an option that is unknown, and for wrong arguments.
  mutating func apply(_ option: AddressOption) throws(AddressRefusal) {
    switch option.name {
    case "size", "s": hasByteCount = try option.single().flag(0) ?? false
    case "format", "f": hasFormat = try option.single().flag(0) ?? false
    case "dimensions", "d": hasDimensions = try option.single().flag(0) ?? false
    case "exif":
      try option.check(atMost: 2)
      hasEXIF = try option.flag(0) ?? false
      hasCanonicalNames = try option.flag(1) ?? false
    case "iptc": hasIPTC = try option.single().flag(0) ?? false
    case "xmp": hasXMP = try option.single().flag(0) ?? false
    case "colorspace", "cs": hasColors = try option.single().flag(0) ?? false
    case "bands", "b": hasBands = try option.single().flag(0) ?? false
    case "sample_format", "sf": hasSampleFormat = try option.single().flag(0) ?? false
    case "pages_number", "pn": hasFrameCount = try option.single().flag(0) ?? false
    case "alpha", "a":
      try option.check(atMost: 2)
      hasAlpha = try option.flag(0) ?? false
      hasTransparency = try option.flag(1) ?? false
    default: try applyPixels(option)
    }
  }

  /// Applies an option about pixels, about the whole file, or about limits.
  private mutating func applyPixels(_ option: AddressOption) throws(AddressRefusal) {
    switch option.name {
    case "average", "avg":
      try option.check(atMost: 2)
      hasAverage = try option.flag(0) ?? false
      guard try option.flag(1) ?? true else { throw option.refusal("pixels count here by their opacity") }
    case "dominant_colors", "dc":
      try option.check(atMost: 2)
      hasDominantColor = try option.flag(0) ?? false
      completesDominantColors = try option.flag(1) ?? false
    case "palette", "p":
      paletteCount = try option.single().integer(0, in: 0...256) ?? 0
      guard paletteCount != 1 else { throw option.refusal("a number from 2 to 256 is needed") }
    case "blurhash", "bh":
      try option.check(atMost: 2)
      let (x, y) = (try option.integer(0, in: 0...9) ?? 0, try option.integer(1, in: 0...9) ?? 0)
      blurHash = x > 0 && y > 0 ? PixelSize(x, y) : nil
    case "thumb_hash", "th": hasThumbHash = try option.single().flag(0) ?? false
    case "calc_hashsums", "chs":
      for word in option.arguments where !word.isEmpty {
        guard FileDigest(rawValue: word) != nil else {
          throw option.refusal("md5, sha1, sha256 or sha512 is needed")
        }
        digests.insert(word)
      }
    case "hashsum", "hs":
      try option.check(atMost: 2)
      guard option[0] != "none" else { return expectedDigest = nil }
      guard let kind = option[0].flatMap(FileDigest.init(rawValue:)), let digits = option[1]?.lowercased(),
        digits.utf8.count == kind.digitCount, [UInt8](hexadecimal: digits) != nil
      else {
        throw option.refusal("md5, sha1, sha256 or sha512 and the digest in hexadecimal digits are needed")
      }
      expectedDigest = digits
    default:
      if try limits.apply(option) { return }
      throw option.refusal("there is no such fact")
    }
  }
}
