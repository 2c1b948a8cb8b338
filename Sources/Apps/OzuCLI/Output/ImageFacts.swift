import Foundation
import Ozu
import OzuBase
import OzuCodecs

/// The report of `ozu info` about an image, as text and as JSON.
struct ImageFacts {
  let source: String
  /// The bytes of a file; `nil` for other sources.
  let byteCount: Int?
  let header: ImageHeader
  /// The facts that need a decoded image; `nil` when it was not decoded.
  let pixels: PixelFacts?
  /// All metadata; `nil` when they were not read.
  let metadata: ImageMetadata?

  init(
    source: String, byteCount: Int? = nil, header: ImageHeader, pixels: PixelFacts?,
    metadata: ImageMetadata? = nil
  ) {
    self.source = SourceArgument.shown(source)
    self.byteCount = byteCount
    self.header = header
    self.pixels = pixels
    self.metadata = metadata
  }

  var text: String {
    var parts = ["\(header.type.displayName) \(header.size)"]
    if let byteCount { parts.append(Format.bytes(byteCount)) }
    parts.append("\(header.colorModel.rawValue), \(header.bitsPerComponent) bit")
    if header.hasAlpha { parts.append("alpha") }
    if header.isProgressive { parts.append("progressive") }
    if header.orientation != .up {
      parts.append("orientation \(header.orientation.rawValue) (stored \(header.storedSize))")
    }
    parts.append("colour profile \(header.colorProfileName ?? header.colorEncoding?.name ?? "none")")
    if header.colorEncoding != nil, let gamut = color.gamut, let transfer = color.transfer {
      parts.append("gamut \(gamut), transfer \(transfer)")
    }
    if let peak { parts.append("peak \(Format.whole(peak)) cd/m²") }
    if let map = header.gainMap {
      parts.append(
        "gain map \(map.size) for \(String(format: "%.1f", map.alternateHeadroom)) stops above white")
    }
    if let raw = header.cameraRAW {
      let sizes = raw.previewSizes.compactMap { upright($0)?.description }.joined(separator: ", ")
      parts.append("\(sizes.contains(",") ? "previews" : "preview") \(sizes)")
      if let size = upright(raw.size) { parts.append("RAW \(size)") }
    }
    if let dots = header.dotsPerInch { parts.append("\(Format.whole(dots)) dots per inch") }
    parts.append(header.frameCountDescription)
    if let camera = header.metadata?.camera { parts.append(camera) }
    if let lens = header.metadata?.lens { parts.append(lens) }
    if let exposure { parts.append(exposure) }
    if let date = header.metadata?.captureDate { parts.append("taken \(date)") }
    if header.metadata?.hasPlace ?? false { parts.append("place") }
    if header.metadata?.hasThumbnail ?? false { parts.append("thumbnail") }
    // The names of cameras, lenses and profiles are texts of the file.
    var lines = ["\(PrintableText.name(source)): \(PrintableText.name(parts.joined(separator: ", ")))"]
    lines += metadata?.values.lines ?? []
    lines += pixels?.lines ?? []
    lines += notes.map { "  note: \($0)" }
    return lines.joined(separator: "\n")
  }

  var json: JSON { .report("info", members) }

  /// What JSON says of the picture, beside the kind of report.
  var members: [(String, JSON)] {
    var members = picture + raw + photograph
    members.append(("isProgressive", .bool(header.isProgressive)))
    members.append(("frames", .integer(header.frameCount)))
    members.append(("isFrameCountExact", .bool(header.isFrameCountExact)))
    if let metadata { members.append(("metadata", metadata.values.json)) }
    members += pixels?.members ?? []
    members.append(("notes", .array(notes.map(JSON.string))))
    return members
  }

  /// The source and its pixels.
  private var picture: [(String, JSON)] {
    [
      ("source", .string(source)), ("bytes", byteCount.map(JSON.integer) ?? .null),
      ("type", .string(header.type.rawValue)),
      ("width", .integer(header.size.width)), ("height", .integer(header.size.height)),
      ("storedWidth", .integer(header.storedSize.width)),
      ("storedHeight", .integer(header.storedSize.height)),
      ("orientation", .integer(header.orientation.rawValue)),
      ("colorModel", .string(header.colorModel.rawValue)),
      ("bitsPerComponent", .integer(header.bitsPerComponent)), ("hasAlpha", .bool(header.hasAlpha)),
      ("colorProfile", header.colorProfileName.map(JSON.string) ?? .null),
      ("gamut", color.gamut.map(JSON.string) ?? .null),
      ("transfer", color.transfer.map(JSON.string) ?? .null),
      ("peak", peak.map(JSON.number) ?? .null),
      ("gainMapStops", (header.gainMap?.alternateHeadroom).map(JSON.number) ?? .null),
      ("dotsPerInch", header.dotsPerInch.map(JSON.number) ?? .null),
    ]
  }

  /// The picture of the sensor, and the previews that stand for it.
  private var raw: [(String, JSON)] {
    let size = upright(header.cameraRAW?.size)
    let previews = (header.cameraRAW?.previewSizes ?? []).compactMap(upright)
    return [
      ("rawWidth", size.map { .integer($0.width) } ?? .null),
      ("rawHeight", size.map { .integer($0.height) } ?? .null),
      ("previews", .array(previews.map { .string("\($0)") })),
    ]
  }

  /// The notes of the picture, which begin with those of the header, and about metadata that were left out.
  private var notes: [String] { (pixels?.notes ?? header.notes) + (metadata?.notes ?? []) }

  private func upright(_ size: PixelSize?) -> PixelSize? { size.map(header.orientation.applied) }

  /// The brightest pixel that the file states, also when tone mapping does not use the value.
  private var peak: Double? { header.lightLevels.flatMap { $0.maximumContent ?? $0.masteringPeak } }

  /// The data of the camera.
  private var photograph: [(String, JSON)] {
    let metadata = header.metadata
    return [
      ("captureDate", (metadata?.captureDate).map(JSON.string) ?? .null),
      ("camera", (metadata?.camera).map(JSON.string) ?? .null),
      ("lens", (metadata?.lens).map(JSON.string) ?? .null),
      ("exposureTime", (metadata?.exposureTime).map(JSON.exact) ?? .null),
      ("fNumber", (metadata?.fNumber).map(JSON.number) ?? .null),
      ("isoSensitivity", (metadata?.isoSensitivity).map(JSON.integer) ?? .null),
      ("focalLength", (metadata?.focalLength).map(JSON.number) ?? .null),
      ("hasPlace", .bool(metadata?.hasPlace ?? false)),
      ("hasThumbnail", .bool(metadata?.hasThumbnail ?? false)),
    ]
  }

  /// As photographers write it: `1/160 s f/9 ISO 100 24 mm`.
  private var exposure: String? {
    guard let metadata = header.metadata else { return nil }
    func short(_ value: Double) -> String {
      let text = String(format: "%.1f", value)
      return text.hasSuffix(".0") ? String(text.dropLast(2)) : text
    }
    let parts = [
      metadata.exposureTime.map { $0 < 0.4 ? "1/\(short((1 / $0).rounded())) s" : "\(short($0)) s" },
      metadata.fNumber.map { "f/\(short($0))" }, metadata.isoSensitivity.map { "ISO \($0)" },
      metadata.focalLength.map { "\(short($0)) mm" },
    ].compactMap(\.self)
    return parts.isEmpty ? nil : parts.joined(separator: " ")
  }

  private var color: ColorFacts { ColorFacts(header.colorEncoding) }
}

/// The gamut and the transfer function of an encoding, in words; `nil` when only an ICC profile describes them.
struct ColorFacts {
  let gamut: String?
  let transfer: String?

  /// - Parameter encoding: of a header; `nil` is plain sRGB.
  init(_ encoding: ColorEncoding?) {
    switch encoding {
    case nil: (gamut, transfer) = ("sRGB", "sRGB")
    case .coded(let primaries, let curve):
      gamut = Self.primaries[primaries] ?? "H.273 \(primaries)"
      transfer = Self.transfers[curve] ?? "H.273 \(curve)"
    case .calibrated(let gamma, let chromaticities):
      gamut = chromaticities == .sRGB ? "sRGB" : "its own"
      transfer = "gamma \(gamma)"
    case .profile: (gamut, transfer) = (nil, nil)
    }
  }

  // ITU-T H.273, tables 2 and 3.
  private static let primaries = [
    1: "sRGB", 4: "BT.470 M", 5: "BT.601 (625 lines)", 6: "BT.601 (525 lines)", 7: "SMPTE 240", 8: "film",
    9: "BT.2020", 10: "XYZ", 11: "DCI-P3", 12: "Display P3",
  ]
  private static let transfers = [
    1: "BT.709", 4: "gamma 2.2", 5: "gamma 2.8", 6: "BT.601", 7: "SMPTE 240", 8: "linear", 13: "sRGB",
    14: "BT.2020 (10 bit)", 15: "BT.2020 (12 bit)", 16: "PQ", 17: "DCI", 18: "HLG",
  ]
}

/// Facts about the pixels of an image, taken from a small rendition.
struct PixelFacts {
  /// The colour of most pixels; `nil` when the image is transparent.
  let dominantColor: Pixel?
  let blurHash: BlurHash
  let thumbHash: ThumbHash
  let perceptualHash: PerceptualHash
  let notes: [String]
  /// What is wrong with the file: those of the notes that say so, and a frame that cannot be decoded, if all were looked at.
  var damage: [String]
  /// How often an animation is played; 0 for ever, `nil` for a still.
  let loopCount: Int?

  /// The size of the rendition: ThumbHash takes no larger one.
  static let size = PixelSize(100, 100)

  init(_ picture: Picture) {
    let few = BGRABitmap(picture.bitmap.reduced(toColors: 8, effort: .medium))
    var counts: [Pixel: Int] = [:]
    for y in 0..<few.size.height {
      few.withRow(y) { row in
        for x in row.indices where row[x].alpha >= 128 { counts[row[x], default: 0] += 1 }
      }
    }
    // Of two equally frequent colours always the same.
    dominantColor =
      counts.max {
        ($0.value, $0.key.red, $0.key.green, $0.key.blue) < ($1.value, $1.key.red, $1.key.green, $1.key.blue)
      }?.key
    blurHash = BlurHash(encoding: picture.bitmap)
    thumbHash = ThumbHash(encoding: picture.bitmap)
    perceptualHash = PerceptualHash(picture.bitmap)
    notes = picture.notes
    damage = picture.notes.filter(PictureNotes.tellsOfDamage)
    loopCount = picture.animation?.loopCount
  }

  private var color: String? {
    dominantColor.map { color in
      "#"
        + [color.red, color.green, color.blue].hexadecimal
    }
  }

  var lines: [String] {
    var lines = [
      "  dominant colour \(color ?? "none"), BlurHash \(blurHash.text), ThumbHash \(thumbHash.base64)",
      "  perceptual hash \(perceptualHash)",
    ]
    if let loopCount { lines.append("  played \(loopCount == 0 ? "for ever" : "\(loopCount) times")") }
    return lines
  }

  var members: [(String, JSON)] {
    [
      ("dominantColor", color.map(JSON.string) ?? .null), ("blurHash", .string(blurHash.text)),
      ("thumbHash", .string(thumbHash.base64)),
      ("perceptualHash", .string(perceptualHash.description)),
      ("loops", loopCount.map(JSON.integer) ?? .null),
    ]
  }
}

/// The metadata of an image in the report of `ozu info --all`.
extension MetadataValues {
  /// The values with a name of their own, in the order of the report.
  private var members: [(String, JSON)] {
    func text(_ name: String, _ value: String?) -> [(String, JSON)] {
      value.map { [(name, .string($0))] } ?? []
    }
    // In full: places and short exposures have more than three digits after the point.
    func number(_ name: String, _ value: Double?) -> [(String, JSON)] {
      guard let value, value.isFinite else { return [] }
      return [(name, Int(exactly: value).map(JSON.integer) ?? .exact(value))]
    }
    func integer(_ name: String, _ value: Int?) -> [(String, JSON)] {
      value.map { [(name, .integer($0))] } ?? []
    }
    let camera = text("make", make) + text("model", model) + text("lens", lens) + text("software", software)
    let dates =
      text("originalDate", originalDate?.description) + text("digitizedDate", digitizedDate?.description)
      + text("modificationDate", modificationDate?.description)
    let exposure =
      number("exposureTime", exposureTime) + number("fNumber", fNumber)
      + integer("isoSensitivity", isoSensitivity) + number("focalLength", focalLength)
      + number("focalLengthIn35mm", focalLengthIn35mm) + integer("flash", flash)
    let place = number("latitude", latitude) + number("longitude", longitude) + number("altitude", altitude)
    let texts =
      text("artist", artist) + text("copyright", copyright) + text("title", title)
      + text("description", description)
      + (keywords.isEmpty ? [] : [("keywords", .array(keywords.map(JSON.string)))])
    return camera + dates + exposure + place + texts + number("rating", rating)
      + integer("orientation", orientation?.rawValue)
  }

  var json: JSON {
    let tags = otherTags.map { tag in
      JSON.object([
        ("group", .string(tag.group.rawValue)), ("name", .string(tag.name)), ("value", .string(tag.value)),
      ])
    }
    return .object(members + [("tags", .array(tags))])
  }

  var lines: [String] {
    members.map { name, value in
      let text =
        switch value {
        case .string(let text): PrintableText.name(text)
        case .array: keywords.map(PrintableText.name).joined(separator: ", ")
        default: value.text
        }
      return "  \(name): \(text)"
    }
      + otherTags.map {
        "  \($0.group.rawValue) \(PrintableText.name($0.name)): \(PrintableText.name($0.value))"
      }
  }
}
