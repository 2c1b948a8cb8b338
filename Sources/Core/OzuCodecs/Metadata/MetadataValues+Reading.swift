import OzuBase
import OzuImaging

extension MetadataValues {
  /// Reads the blocks of a file.
  ///
  /// - Parameters:
  ///   - iptcDigest: the digest of the data sets when XMP was written last, if the file has one.
  ///   - extendedXMP: what did not fit into the packet.
  package init(exif: Data?, iptc: Data?, iptcDigest: [UInt8]?, xmp: Data?, extendedXMP: Data? = nil) {
    self.init()
    let sources = MetadataSources(
      exif: exif.flatMap { EXIFValues($0.span) }, iptc: iptc.map { IPTCRecords($0.span) },
      xmp: xmp.map { XMPProperties([$0] + [extendedXMP].compactMap(\.self)) },
      prefersIPTC: iptc.map { iptcDigest != nil && iptcDigest != MD5.digest($0) } ?? false)
    readCamera(sources)
    readExposure(sources)
    readPlace(sources)
    readDates(sources)
    readTexts(sources)
    otherTags = sources.otherTags
  }

  private mutating func readCamera(_ sources: MetadataSources) {
    make = sources.text(0x010F, "tiff:Make")
    model = sources.text(0x0110, "tiff:Model")
    lens = sources.text(0xA434, "exifEX:LensModel") ?? sources.xmp?.text("aux:Lens")
    software = sources.text(0x0131, "xmp:CreatorTool")
    orientation = sources.picture(EXIFTag.orientation)?.integers.first.flatMap(Orientation.init(rawValue:))
  }

  private mutating func readExposure(_ sources: MetadataSources) {
    func positive(_ tag: Int, _ path: String) -> Double? {
      let number = sources.details(tag)?.numbers.first ?? sources.xmp?.number(path)
      // Zero means "unknown".
      return number.flatMap { $0 > 0 && $0.isFinite ? $0 : nil }
    }
    // The logarithms that EXIF also has (APEX), for files without the numbers.
    func power(_ tag: Int, _ path: String, _ factor: Double, insteadOf number: Int) -> Double? {
      let exponent = sources.details(tag)?.numbers.first ?? sources.xmp?.number(path)
      // A camera that leaves the number at zero leaves the logarithm there too.
      let isUnset = exponent == 0 && sources.details(number) != nil
      return exponent.flatMap { -100...100 ~= $0 && !isUnset ? exp2(factor * $0) : nil }
    }
    exposureTime =
      positive(0x829A, "exif:ExposureTime")
      ?? power(0x9201, "exif:ShutterSpeedValue", -1, insteadOf: 0x829A)
    fNumber =
      positive(0x829D, "exif:FNumber") ?? power(0x9202, "exif:ApertureValue", 0.5, insteadOf: 0x829D)
    let speed =
      positive(0x8827, "exif:ISOSpeedRatings") ?? sources.xmp?.number("exifEX:PhotographicSensitivity")
    // The largest number of 16 bits means "more": the number is in one of the newer tags.
    let more = speed == 65_535 || speed == nil ? positive(0x8832, "exifEX:RecommendedExposureIndex") : nil
    isoSensitivity = (more ?? speed).map { Int(clamping: $0) }.flatMap { $0 > 0 ? $0 : nil }
    focalLength = positive(0x920A, "exif:FocalLength")
    focalLengthIn35mm = positive(0xA405, "exif:FocalLengthIn35mmFilm")
    flash = sources.details(0x9209)?.integers.first ?? sources.flashOfXMP
  }

  private mutating func readPlace(_ sources: MetadataSources) {
    latitude = sources.degrees(2, "N", "S", limit: 90) ?? sources.degrees("exif:GPSLatitude", limit: 90)
    longitude = sources.degrees(4, "E", "W", limit: 180) ?? sources.degrees("exif:GPSLongitude", limit: 180)
    if let height = sources.place(6)?.numbers.first ?? nil {
      // 1 is below the sea, and 3 below the ellipsoid.
      altitude = [1, 3].contains(sources.place(5)?.integers.first) ? -abs(height) : height
    } else if let height = sources.xmp?.number("exif:GPSAltitude") {
      altitude = sources.xmp?.text("exif:GPSAltitudeRef") == "1" ? -abs(height) : height
    }
  }

  private mutating func readDates(_ sources: MetadataSources) {
    originalDate =
      sources.date(sources.details(0x9003), fraction: 0x9291, offset: 0x9011)
      ?? sources.chosen(sources.date(55, 60), sources.date("photoshop:DateCreated"))
      ?? sources.date("exif:DateTimeOriginal")
    digitizedDate =
      sources.date(sources.details(0x9004), fraction: 0x9292, offset: 0x9012)
      ?? sources.chosen(sources.date(62, 63), sources.date("xmp:CreateDate"))
      ?? sources.date("exif:DateTimeDigitized")
    modificationDate =
      sources.date(sources.picture(0x0132), fraction: 0x9290, offset: 0x9010)
      ?? sources.date("xmp:ModifyDate")
  }

  private mutating func readTexts(_ sources: MetadataSources) {
    func list(_ texts: [String]?) -> String? {
      guard let texts, !texts.isEmpty else { return nil }
      return MetadataText.cut(texts.joined(separator: "; "))
    }
    let (iptc, xmp) = (sources.iptc, sources.xmp)
    artist =
      sources.picture(0x013B)?.text ?? sources.chosen(
        list(iptc?.texts(80)), list(xmp?.texts("dc:creator")), 32)
      ?? sources.picture(0x9C9D)?.text
    copyright =
      sources.picture(EXIFTag.copyright)?.text ?? sources.chosen(iptc?.text(116), xmp?.text("dc:rights"), 128)
    description =
      sources.picture(0x010E)?.text ?? sources.chosen(iptc?.text(120), xmp?.text("dc:description"), 2000)
    title =
      sources.chosen(iptc?.text(5), xmp?.text("dc:title"), 64)
      ?? sources.picture(EXIFTag.titleOfWindows)?.text ?? sources.details(0xA436)?.text
    let (own, others) = (iptc?.texts(25) ?? [], xmp?.texts("dc:subject") ?? [])
    let keywords =
      sources.chosen(own.isEmpty ? nil : own, others.isEmpty ? nil : others)
      ?? sources.picture(EXIFTag.keywordsOfWindows)?.text?.split(separator: ";").map { String($0) }
    self.keywords = Array((keywords ?? []).prefix(Self.mostTags))
    rating =
      xmp?.number("xmp:Rating") ?? sources.picture(0x4746)?.integers.first.map { Double($0) }
  }
}

/// The three blocks, and the choice between them.
private struct MetadataSources {
  let exif: EXIFValues?
  let iptc: IPTCRecords?
  let xmp: XMPProperties?
  /// Whether the data sets were changed after XMP was written.
  let prefersIPTC: Bool

  func picture(_ tag: Int) -> EXIFValues.Value? { exif?.picture.first { $0.tag == tag } }
  /// A value of the details. TIFF/EP (ISO 12234-2) has them in the first directory.
  func details(_ tag: Int) -> EXIFValues.Value? { exif?.details.first { $0.tag == tag } ?? picture(tag) }
  func place(_ tag: Int) -> EXIFValues.Value? { exif?.place.first { $0.tag == tag } }

  func text(_ tag: Int, _ path: String) -> String? {
    (picture(tag) ?? details(tag))?.text ?? xmp?.text(path)
  }

  func chosen<Value>(_ iptc: Value?, _ xmp: Value?) -> Value? { prefersIPTC ? iptc ?? xmp : xmp ?? iptc }

  /// A text of IPTC-IIM or of XMP. If IPTC-IIM has only the beginning of the same text, because its length there is
  /// limited, it is the whole one.
  func chosen(_ iptc: String?, _ xmp: String?, _ limit: Int) -> String? {
    if let iptc, let xmp, iptc.utf8.count >= limit, xmp.hasPrefix(iptc) { return xmp }
    return chosen(iptc, xmp)
  }

  // MARK: Dates

  func date(_ value: EXIFValues.Value?, fraction: Int, offset: Int) -> MetadataDate? {
    guard let text = value?.text else { return nil }
    return MetadataDate(text, fraction: details(fraction)?.text, offset: details(offset)?.text)
  }

  func date(_ date: Int, _ time: Int) -> MetadataDate? {
    iptc?.text(date).flatMap { MetadataDate($0 + (iptc?.text(time) ?? "")) }
  }

  func date(_ path: String) -> MetadataDate? { xmp?.text(path).flatMap { MetadataDate($0) } }

  // MARK: Places

  /// An angle as degrees, minutes and seconds in EXIF data. Without a direction its sign is unknown.
  func degrees(_ tag: Int, _ positive: String, _ negative: String, limit: Double) -> Double? {
    guard let numbers = place(tag)?.numbers, let degrees = numbers.first ?? nil,
      let direction = place(tag - 1)?.text?.prefix(1).uppercased(), [positive, negative].contains(direction)
    else { return nil }
    // Minutes and seconds may be missing, or have no denominator.
    let parts = numbers.dropFirst().prefix(2).compactMap(\.self)
    let angle = degrees + (parts.first ?? 0) / 60 + (parts.dropFirst().first ?? 0) / 3600
    return bounded(direction == negative ? -angle : angle, limit)
  }

  /// An angle in XMP: `40,26.767N` or `40,26,46N`.
  func degrees(_ path: String, limit: Double) -> Double? {
    guard let text = xmp?.text(path), let direction = text.last?.uppercased(),
      ["N", "S", "E", "W"].contains(direction)
    else { return nil }
    let parts = text.dropLast().split(separator: ",").prefix(3).map { Double($0) ?? .nan }
    var angle = 0.0
    for (part, unit) in zip(parts, [1.0, 60, 3600]) { angle += part / unit }
    return parts.isEmpty ? nil : bounded(direction == "S" || direction == "W" ? -angle : angle, limit)
  }

  private func bounded(_ angle: Double, _ limit: Double) -> Double? { -limit...limit ~= angle ? angle : nil }

  // MARK: The rest

  /// The bits of the flash from the structure that XMP has for them.
  var flashOfXMP: Int? {
    guard let xmp, let fired = xmp.text("exif:Flash/exif:Fired") else { return nil }
    func bit(_ name: String, _ mask: Int) -> Int { xmp.text("exif:Flash/exif:\(name)") == "True" ? mask : 0 }
    func number(_ name: String) -> Int { (xmp.integer("exif:Flash/exif:\(name)") ?? 0) & 3 }
    return (fired == "True" ? 1 : 0) | number("Return") << 1 | number("Mode") << 3 | bit("Function", 0x20)
      | bit("RedEyeMode", 0x40)
  }

  /// The values without a property of their own.
  var otherTags: [MetadataTag] {
    func tags(_ values: [EXIFValues.Value], _ group: MetadataTag.Group, except known: Set<Int>)
      -> [MetadataTag]
    {
      values.compactMap { value in
        guard !known.contains(value.tag), let text = value.description else { return nil }
        let name = group == .gps ? EXIFTagNames.placeName(of: value.tag) : EXIFTagNames.name(of: value.tag)
        return MetadataTag(group: group, name: name, value: text)
      }
    }
    let all =
      tags((exif?.picture ?? []) + (exif?.details ?? []), .exif, except: Self.knownTags)
      + tags(exif?.place ?? [], .gps, except: [1, 2, 3, 4, 5, 6])
      + (iptc?.tags(except: [5, 25, 55, 60, 62, 63, 80, 116, 120]) ?? [])
      + (xmp?.tags(except: Self.knownPaths) ?? [])
    return Array(all.prefix(MetadataValues.mostTags))
  }

  private static let knownTags: Set<Int> = [
    0x010E, 0x010F, 0x0110, EXIFTag.orientation, 0x0131, 0x0132, 0x013B, EXIFTag.copyright, 0x4746,
    EXIFTag.details, EXIFTag.place, EXIFTag.interoperability, 0x829A, 0x829D, 0x8827, 0x9003, 0x9004, 0x9010,
    0x9011, 0x9012, 0x9209, 0x920A, 0x9290, 0x9291, 0x9292, 0xA405, 0xA434,
  ]

  private static let knownPaths: Set<String> = [
    "tiff:Make", "tiff:Model", "exifEX:LensModel", "aux:Lens", "xmp:CreatorTool", "exif:ExposureTime",
    "exif:FNumber", "exif:ISOSpeedRatings", "exif:FocalLength", "exif:FocalLengthIn35mmFilm",
    "exif:GPSLatitude", "exif:GPSLongitude", "exif:GPSAltitude", "exif:GPSAltitudeRef",
    "photoshop:DateCreated", "exif:DateTimeOriginal", "xmp:CreateDate", "exif:DateTimeDigitized",
    "xmp:ModifyDate", "dc:creator", "dc:rights", "dc:description", "dc:title", "dc:subject", "xmp:Rating",
  ]
}
