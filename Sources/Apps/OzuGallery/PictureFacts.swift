import Foundation
import Ozu

/// Facts about a picture, as names and values for people.
struct PictureFacts: Sendable {
  typealias Fact = (name: String, value: String)

  /// What most people want to know.
  var main: [Fact] = []
  /// Where the picture was taken.
  var location: Location?
  /// Everything that the metadata say.
  var all: [Fact] = []

  /// A place on the earth.
  struct Location: Sendable {
    /// Degrees north of the equator and east of Greenwich.
    let latitude: Double
    let longitude: Double

    /// The place in words: `48.8584° N, 2.2945° E`.
    var text: String {
      func degrees(_ value: Double) -> String {
        abs(value).formatted(.number.precision(.fractionLength(4)).locale(Texts.locale)) + "°"
      }
      let north = degrees(latitude) + " " + (latitude < 0 ? tr("S") : tr("N"))
      return north + ", " + degrees(longitude) + " " + (longitude < 0 ? tr("W") : tr("E"))
    }

    /// The address of a map of it.
    var map: String {
      let (y, x) = (Self.plain(latitude), Self.plain(longitude))
      return "https://www.openstreetmap.org/?mlat=\(y)&mlon=\(x)#map=16/\(y)/\(x)"
    }

    private static func plain(_ value: Double) -> String {
      value.formatted(
        .number.precision(.fractionLength(6)).grouping(.never).locale(Locale(identifier: "en_US_POSIX")))
    }
  }

  /// Files of more bytes are not read whole for their metadata.
  private static let largest = 256 << 20

  /// Reads the header of the file and, unless it is very large, its metadata.
  static func facts(
    of item: PictureItem, _ pipeline: ImagePipeline, _ response: ImageResponse?
  ) async -> PictureFacts {
    var facts = PictureFacts()
    facts.main = [(tr("Name"), item.name)]
    let stamp = await stamp(of: item.file)
    if let file = item.file {
      facts.main.append((tr("Folder"), file.deletingLastPathComponent().path(percentEncoded: false)))
    } else if let url = item.url {
      facts.main.append((tr("Address"), url.absoluteString))
    }
    if let stamp {
      let size = Int64(stamp.byteCount).formatted(.byteCount(style: .file).locale(Texts.locale))
      let date = Date(timeIntervalSince1970: stamp.modified)
      facts.main += [
        (tr("Size"), size),
        (
          tr("Changed"),
          date.formatted(.dateTime.day().month(.wide).year().hour().minute().locale(Texts.dateLocale))
        ),
      ]
    }
    do throws(ImageError) {
      facts.main += describe(try await pipeline.header(for: ImageRequest(item.source)))
    } catch {
      facts.main.append((tr("Error"), error.explanation))
    }
    if item.rating > 0 { facts.main.append((tr("Stars"), String(repeating: "★", count: item.rating))) }
    facts.main += (response?.picture.notes ?? []).map { (tr("Note"), $0) }
    if let response {
      facts.main.append((tr("Came from"), origin(response.source, isFile: item.file != nil)))
    }
    if (stamp?.byteCount ?? 0) <= largest,
      let values = try? await pipeline.metadata(for: ImageRequest(item.source)).values
    {
      if let latitude = values.latitude, let longitude = values.longitude {
        facts.location = Location(latitude: latitude, longitude: longitude)
      }
      facts.main += [(tr("Title"), values.title), (tr("Caption"), values.description)]
        .compactMap { name, value in value.map { (name, $0) } }
      if !values.keywords.isEmpty {
        facts.main.append((tr("Subjects"), values.keywords.joined(separator: ", ")))
      }
      facts.all = everything(values)
    }
    return facts
  }

  @concurrent
  private static func stamp(of file: URL?) async -> PictureStamp? { file.flatMap { PictureStamp($0) } }

  static func describe(_ header: ImageHeader) -> [Fact] {
    let (width, height) = (header.size.width.formatted(.number.grouping(.never)), "\(header.size.height)")
    var facts: [Fact] = [
      (tr("Type"), header.type.displayName),
      (tr("Dimensions"), tr("%1 × %2 pixels", width, height)),
      (
        tr("Colour"),
        tr("%1, %2 bits", name(header.colorModel), "\(header.bitsPerComponent)")
          + (header.hasAlpha ? tr(", transparent") : "")
      ),
    ]
    if let profile = header.colorProfileName { facts.append((tr("Colour profile"), profile)) }
    if header.frameCount > 1 { facts.append((tr("Frames"), "\(header.frameCount)")) }
    guard let metadata = header.metadata else { return facts }
    if let date = metadata.captureDate { facts.append((tr("Taken"), readable(date))) }
    if let camera = metadata.camera { facts.append((tr("Camera"), camera)) }
    if let lens = metadata.lens { facts.append((tr("Lens"), lens)) }
    if let exposure = exposure(metadata) { facts.append((tr("Exposure"), exposure)) }
    return facts
  }

  /// All values, by the names that the standards have for them.
  private static func everything(_ values: MetadataValues) -> [Fact] {
    func number(_ value: Double?) -> String? { value.map { "\($0)" } }
    let named: [(String, String?)] = [
      ("Make", values.make), ("Model", values.model), ("Lens", values.lens), ("Software", values.software),
      ("Original date", values.originalDate?.description),
      ("Digitized date", values.digitizedDate?.description),
      ("Modification date", values.modificationDate?.description),
      ("Exposure time", number(values.exposureTime)),
      ("F-number", number(values.fNumber)), ("ISO", values.isoSensitivity.map { "\($0)" }),
      ("Focal length", number(values.focalLength)),
      ("Focal length in 35 mm", number(values.focalLengthIn35mm)),
      ("Flash", values.flash.map { "\($0)" }), ("Latitude", number(values.latitude)),
      ("Longitude", number(values.longitude)), ("Altitude", number(values.altitude)),
      ("Artist", values.artist), ("Copyright", values.copyright), ("Rating", number(values.rating)),
      ("Orientation", values.orientation.map { "\($0.rawValue)" }),
    ]
    return named.compactMap { name, value in value.map { (name, $0) } }
      + values.otherTags.map { ("\($0.group.rawValue) \($0.name)", $0.value) }
  }

  private static func name(_ model: ImageHeader.ColorModel) -> String {
    switch model {
    case .rgb, .cmyk: model.rawValue.uppercased()
    default: model.rawValue
    }
  }

  /// A date of EXIF as the locale writes it; by the clock of the camera, wherever that was.
  private static func readable(_ text: String) -> String {
    guard let date = MetadataDate(text), let month = date.month, let day = date.day else { return text }
    let parts = DateComponents(
      timeZone: .gmt, year: date.year, month: month, day: day, hour: date.hour, minute: date.minute)
    guard let instant = Calendar(identifier: .gregorian).date(from: parts) else { return text }
    var style = Date.FormatStyle(locale: Texts.dateLocale, timeZone: .gmt).day().month(.wide).year()
    if date.hour != nil { style = style.hour().minute() }
    return instant.formatted(style)
  }

  /// As photographers write it: `1/160 s, f/9, ISO 100, 24 mm`.
  static func exposure(_ metadata: PictureMetadata) -> String? {
    func short(_ value: Double) -> String {
      value.formatted(.number.precision(.fractionLength(0...1)).locale(Texts.locale))
    }
    func whole(_ value: Double) -> String {
      value.formatted(.number.precision(.fractionLength(0)).grouping(.never))
    }
    let parts = [
      metadata.exposureTime.map { $0 < 0.4 && $0 > 0 ? "1/\(whole(1 / $0)) s" : "\(short($0)) s" },
      metadata.fNumber.map { "f/\(short($0))" }, metadata.isoSensitivity.map { "ISO \($0)" },
      metadata.focalLength.map { "\(short($0)) mm" },
    ].compactMap(\.self)
    return parts.isEmpty ? nil : parts.joined(separator: ", ")
  }

  private static func origin(_ source: ImageResponse.Source, isFile: Bool) -> String {
    switch source {
    case .memory: tr("memory")
    case .rendition: tr("the disk cache, at this size")
    case .original: isFile ? tr("the file") : tr("the disk cache")
    case .revalidated: tr("a cache, confirmed by the server")
    case .stale: tr("a cache, past its lifetime")
    case .derived: tr("a larger picture in a cache")
    case .network: tr("the network")
    }
  }
}
