import Ozu
import OzuBase
import OzuCodecs
import OzuHTTP
import OzuImaging

/// Answers with facts about a source, as JSON.
extension ImageService {
  /// The side of the picture that colours and hashes are made from.
  private static let side = 100

  func answer(with information: AddressedInformation, to request: ServiceRequest) async -> ServiceAnswer {
    let origin = information.source.url.flatMap { try? HTTPOrigin(of: $0) }
    guard admission.enter(origin) else { return busyAnswer }
    defer { admission.leave(origin) }
    var answer: ServiceAnswer
    let expiry = information.expiry
    let (source, demand) = (ImageRequest(information.source), information.facts.demand)
    if let refusal = pipeline.refusal(of: source, for: demand) {
      answer = ServiceAnswer(kept(failure(refusal), until: expiry), detail: refusal.description)
    } else {
      do throws(ImageError) {
        answer = try await facts(information, request)
      } catch {
        let failure = newFailure(error, of: source, for: demand)
        answer = ServiceAnswer(kept(failure, until: expiry), detail: error.description)
      }
    }
    answer.source = information.source.name
    return answer
  }

  private func facts(
    _ information: AddressedInformation, _ request: ServiceRequest
  ) async throws(ImageError) -> ServiceAnswer {
    let wanted = information.facts
    let start = configuration.pipeline.testing.now()
    // A request of a step that begins now, with the time that is left of the answer's.
    func step(_ request: ImageRequest) -> ImageRequest {
      var request = request
      let elapsed = start.duration(to: configuration.pipeline.testing.now())
      request.deadline = max(.zero, configuration.answerLimit - elapsed)
      return request
    }
    let source = ImageRequest(information.source).continuing(trace(of: request))
    let original = try await pipeline.original(of: step(source))
    // The facts follow from the address and from what the settings show.
    let shown = [wanted.hasEXIF, wanted.hasIPTC, wanted.hasXMP, wanted.hasPlace]
    let tag = original.state.map { state in
      "W/\"\(SHA256.hexDigest(of: "\(state.identity) \(shown) \(request.target)").prefix(32))\""
    }
    let freshUntil = original.allowsStoring ? original.state?.freshUntil ?? .distantFuture : nil
    var headers: HTTPHeaders = [
      "Cache-Control": configuration.cacheControl(freshUntil: freshUntil, end: information.expiry)
    ]
    if let tag { headers["ETag"] = tag }
    if let tag, EntityTagCondition(request.headers)?.matches(tag) == true {
      return ServiceAnswer(.unchanged, ServiceResponse(status: 304, headers: headers))
    }
    guard let data = original.data else { throw .emptyData(information.source.name) }
    if let flaw = wanted.limits.flaw(ofByteCount: data.count) { throw .flawed(information.source, flaw) }
    if let expected = wanted.expectedDigest, FileDigest(of: expected)?.hexadecimal(of: data) != expected {
      throw .flawed(information.source, "the file has another digest")
    }
    // The bytes are here already: nothing about them needs a cache.
    var file = ImageRequest(.data(data))
    file.writeLayers = []
    let header = try await pipeline.header(for: step(file))
    if let flaw = wanted.limits.flaw(of: header) { throw .flawed(information.source, flaw) }
    var members = members(of: header, wanted, byteCount: data.count)
    if !wanted.digests.isEmpty {
      let kinds = FileDigest.allCases.filter { wanted.digests.contains($0.rawValue) }
      let digests = kinds.map { ($0.rawValue, $0.hexadecimal(of: data)) }
      members["hashsums"] = Dictionary(uniqueKeysWithValues: digests)
    }
    if wanted.needsMetadata {
      let values = try await pipeline.metadata(for: step(file)).values
      for (name, value) in values.members(of: wanted, withPlace: wanted.hasPlace) { members[name] = value }
    }
    if wanted.needsPixels {
      let small = file.resized(to: PixelSize(Self.side, Self.side))
      let picture = try await pipeline.image(for: step(small))
      for (name, value) in Self.members(of: picture.bitmap, wanted) { members[name] = value }
    }
    var response = ServiceResponse.json(members)
    for field in headers { response.headers[field.name] = field.value }
    return ServiceAnswer(.made, response)
  }

  private func members(
    of header: ImageHeader, _ wanted: InformationFacts, byteCount: Int
  ) -> [String: Any] {
    var members: [String: Any] = [:]
    if wanted.hasByteCount { members["size"] = byteCount }
    if wanted.hasFormat {
      members["format"] = header.type.rawValue
      members["mime_type"] = header.type.mediaType
    }
    if wanted.hasDimensions {
      members["width"] = header.size.width
      members["height"] = header.size.height
      members["orientation"] = header.orientation.rawValue
    }
    if wanted.hasColors {
      members["colorspace"] =
        header.colorModel == .gray ? "b-w" : header.colorModel == .cmyk ? "cmyk" : "srgb"
      members["color_profile"] = header.colorProfileName ?? JSONNull()
    }
    if wanted.hasBands {
      let colors = header.colorModel == .gray ? 1 : header.colorModel == .cmyk ? 4 : 3
      members["bands"] = colors + (header.hasAlpha ? 1 : 0)
    }
    if wanted.hasSampleFormat { members["sample_format"] = header.bitsPerComponent > 8 ? "ushort" : "uchar" }
    if wanted.hasFrameCount { members["pages_number"] = header.frameCount }
    if wanted.hasAlpha { members["alpha"] = header.hasAlpha }
    return members
  }

  private static func members(of bitmap: Bitmap, _ wanted: InformationFacts) -> [String: Any] {
    var members: [String: Any] = [:]
    let pixels = BGRABitmap(bitmap)
    if wanted.hasTransparency {
      members["transparency"] = !bitmap.isOpaque && bitmap.hasTransparentPixel
    }
    if wanted.hasAverage { members["average"] = pixels.average.members }
    if wanted.hasDominantColor {
      members["dominant_colors"] = pixels.dominantColors(completed: wanted.completesDominantColors)
        .mapValues(\.members)
    }
    if wanted.paletteCount > 0 {
      members["palette"] = pixels.palette(atMost: wanted.paletteCount).map(\.color.members)
    }
    if let components = wanted.blurHash {
      members["blurhash"] = BlurHash(encoding: bitmap, components: components).text
    }
    if wanted.hasThumbHash {
      members["thumb_hash"] = ThumbHash(encoding: bitmap).bytes.hexadecimal.uppercased()
    }
    return members
  }
}

extension MetadataValues {
  fileprivate func members(of wanted: InformationFacts, withPlace: Bool) -> [String: Any] {
    var members: [String: Any] = [:]
    if wanted.hasEXIF {
      var exif = tags(.exif, hasSpaces: !wanted.hasCanonicalNames)
      for (name, value) in named { exif[wanted.hasCanonicalNames ? name : Self.spaced(name)] = value }
      if withPlace {
        exif.merge(tags(.gps, hasSpaces: !wanted.hasCanonicalNames)) { $1 }
        for (name, value) in [
          ("GPSLatitude", latitude), ("GPSLongitude", longitude), ("GPSAltitude", altitude),
        ] {
          exif[wanted.hasCanonicalNames ? name : Self.spaced(name)] = value
        }
      }
      members["exif"] = exif
    }
    // XMP and IPTC-IIM may have the place under any name.
    if wanted.hasIPTC { members["iptc"] = withPlace ? tags(.iptc, hasSpaces: false) : texts }
    if wanted.hasXMP { members["xmp"] = withPlace ? tags(.xmp, hasSpaces: false) : texts }
    return members
  }

  private func tags(_ group: MetadataTag.Group, hasSpaces: Bool) -> [String: Any] {
    var members: [String: Any] = [:]
    for tag in otherTags where tag.group == group {
      members[hasSpaces ? Self.spaced(tag.name) : tag.name] = tag.value
    }
    return members
  }

  /// What people wrote, whichever part of the file has it.
  private var texts: [String: Any] {
    var members: [String: Any] = [:]
    for (name, text) in [
      ("title", title), ("description", description), ("artist", artist), ("copyright", copyright),
    ] {
      if let text { members[name] = text }
    }
    if !keywords.isEmpty { members["keywords"] = keywords }
    return members
  }

  /// The values with a property of their own, by their names in EXIF data.
  private var named: [String: Any] {
    let all: [(String, Any?)] = [
      ("Make", make), ("Model", model), ("LensModel", lens), ("Software", software),
      ("DateTimeOriginal", originalDate?.description), ("DateTimeDigitized", digitizedDate?.description),
      ("DateTime", modificationDate?.description), ("ExposureTime", exposureTime), ("FNumber", fNumber),
      ("ISOSpeedRatings", isoSensitivity), ("FocalLength", focalLength),
      ("FocalLengthIn35mmFilm", focalLengthIn35mm), ("Flash", flash), ("Artist", artist),
      ("Copyright", copyright), ("ImageDescription", description),
    ]
    return Dictionary(uniqueKeysWithValues: all.compactMap { name, value in value.map { (name, $0) } })
  }

  /// A name with a space before each word: "ISO Speed Ratings", "F Number", "Focal Length In 35mm Film".
  static func spaced(_ name: String) -> String {
    let characters = Array(name)
    var result = ""
    for (index, character) in characters.enumerated() {
      let last = index > 0 ? characters[index - 1] : " "
      let next = characters.dropFirst(index + 1).first
      // The last capital of several begins the next word.
      let isLastCapital = last.isUppercase && character.isUppercase && next?.isLowercase == true
      if last.isLowercase && !character.isLowercase || isLastCapital { result.append(" ") }
      result.append(character)
    }
    return result
  }
}

/// The digests of files that addresses of facts may name.
enum FileDigest: String, CaseIterable {
  case md5, sha1, sha256, sha512

  /// The kind of a digest by the number of its digits; `nil` for none of these.
  init?(of digits: String) {
    guard let kind = Self.allCases.first(where: { $0.digitCount == digits.utf8.count }) else { return nil }
    self = kind
  }

  /// The digest of some bytes, in hexadecimal digits in lower case.
  ///
  /// - Complexity: O(bytes).
  func hexadecimal(of bytes: some Sequence<UInt8>) -> String {
    switch self {
    case .md5: MD5.hexadecimal(bytes)
    case .sha1: SHA1.digest(of: bytes).hexadecimal
    case .sha256: SHA256.hexDigest(of: bytes)
    case .sha512: SHA512.digest(of: bytes).hexadecimal
    }
  }

  var digitCount: Int {
    switch self {
    case .md5: 32
    case .sha1: 40
    case .sha256: 64
    case .sha512: 128
    }
  }
}
