import Foundation
import Ozu

/// Facts about a picture, as names and values for people.
enum PictureFacts {
  /// Reads only the header of the file.
  static func facts(
    of item: PictureItem, _ pipeline: ImagePipeline, _ response: ImageResponse?
  ) async -> [(name: String, value: String)] {
    var facts = [("Name", item.name)]
    if let file = item.file {
      facts.append(("Folder", file.deletingLastPathComponent().path(percentEncoded: false)))
      if let size = await size(of: file) {
        facts.append(("Size", Int64(size).formatted(.byteCount(style: .file))))
      }
    } else if let url = item.url {
      facts.append(("Address", url.absoluteString))
    }
    do throws(ImageError) {
      facts += describe(try await pipeline.header(for: ImageRequest(item.source)))
    } catch {
      facts.append(("Error", error.explanation))
    }
    facts += (response?.picture.notes ?? []).map { ("Note", $0) }
    if let response { facts.append(("Came from", origin(response.source, isFile: item.file != nil))) }
    return facts
  }

  @concurrent
  private static func size(of file: URL) async -> Int? {
    (try? FileManager.default.attributesOfItem(atPath: file.path(percentEncoded: false)))?[.size] as? Int
  }

  static func describe(_ header: ImageHeader) -> [(name: String, value: String)] {
    var facts = [
      ("Type", header.type.displayName),
      ("Dimensions", "\(header.size.width) × \(header.size.height) pixels"),
      (
        "Colour",
        "\(name(header.colorModel)), \(header.bitsPerComponent) bits"
          + (header.hasAlpha ? ", transparent" : "")
      ),
    ]
    if let profile = header.colorProfileName { facts.append(("Colour profile", profile)) }
    if header.frameCount > 1 { facts.append(("Frames", "\(header.frameCount)")) }
    guard let metadata = header.metadata else { return facts }
    if let date = metadata.captureDate { facts.append(("Taken", readable(date))) }
    if let camera = metadata.camera { facts.append(("Camera", camera)) }
    if let lens = metadata.lens { facts.append(("Lens", lens)) }
    if let exposure = exposure(metadata) { facts.append(("Exposure", exposure)) }
    if metadata.hasPlace { facts.append(("Place", "the file says where it was taken")) }
    return facts
  }

  private static func name(_ model: ImageHeader.ColorModel) -> String {
    switch model {
    case .rgb, .cmyk: model.rawValue.uppercased()
    default: model.rawValue
    }
  }

  /// Replaces the colons in a date of EXIF by dashes.
  private static func readable(_ date: String) -> String {
    let parts = date.split(separator: " ", maxSplits: 1)
    guard let day = parts.first else { return date }
    return ([String(day).replacing(":", with: "-")] + parts.dropFirst().map(String.init)).joined(
      separator: " ")
  }

  /// As photographers write it: `1/160 s, f/9, ISO 100, 24 mm`.
  static func exposure(_ metadata: PictureMetadata) -> String? {
    func short(_ value: Double) -> String { value.formatted(.number.precision(.fractionLength(0...1))) }
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
    case .memory: "memory"
    case .rendition: "the disk cache, at this size"
    case .original: isFile ? "the file" : "the disk cache"
    case .revalidated: "a cache, confirmed by the server"
    case .stale: "a cache, past its lifetime"
    case .derived: "a larger picture in a cache"
    case .network: "the network"
    }
  }
}
