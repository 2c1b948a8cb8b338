import Ozu
import OzuBase

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
