import OzuImaging

/// Reads what people ask of EXIF data: when, with which camera, and whether there is a thumbnail (CIPA DC-008 §4.6).
///
/// Three directories are looked at, each once: the first, the one of EXIF's own that it names, and the second, of
/// the thumbnail. Whatever is wrong is left out.
enum EXIFMetadata {
  private enum Tag {
    static let make = 0x010F
    static let model = 0x0110
    static let date = 0x0132
    static let thumbnail = 0x0201
    static let directory = 0x8769
    static let captureDate = 0x9003
  }

  private static let longestText = 64

  /// - Parameter bytes: from the byte-order mark on; an `Exif\0\0` before it is stepped over.
  /// - Returns: `nil` when there is nothing to say.
  static func find(in bytes: Span<UInt8>) -> PictureMetadata? {
    let tiff = bytes.hasBytes("Exif", at: 0) ? 6 : 0
    guard let order = EXIFByteOrder(bytes, tiff: tiff),
      order.integer(bytes, at: tiff + 2, byteCount: 2) == 42,
      let offset = order.integer(bytes, at: tiff + 4, byteCount: 4)
    else { return nil }

    func entry(_ tag: Int, _ directory: Int) -> Int? {
      guard let count = order.integer(bytes, at: directory, byteCount: 2) else { return nil }
      return (0..<count).lazy.map { directory + 2 + $0 * 12 }
        .first { order.integer(bytes, at: $0, byteCount: 2) == tag }
    }
    func text(_ tag: Int, _ directory: Int) -> String? {
      guard let entry = entry(tag, directory), order.integer(bytes, at: entry + 2, byteCount: 2) == 2,
        let count = order.integer(bytes, at: entry + 4, byteCount: 4)
      else { return nil }
      let at = count <= 4 ? entry + 8 : tiff + (order.integer(bytes, at: entry + 8, byteCount: 4) ?? .max / 2)
      let characters = bytes.copy(from: at, byteCount: min(count, longestText)).prefix { $0 != 0 }
      let text = String(decoding: characters, as: UTF8.self)
      let trimmed = text.reversed().drop { $0 == " " }.reversed()
      return trimmed.isEmpty ? nil : String(trimmed)
    }

    let first = tiff + offset
    var details: String?
    if let own = entry(Tag.directory, first).flatMap({ order.value(bytes, entry: $0) }) {
      details = text(Tag.captureDate, tiff + own)
    }
    var metadata = PictureMetadata(captureDate: details ?? text(Tag.date, first))
    let make = text(Tag.make, first)
    let model = text(Tag.model, first)
    if let make, let model {
      // Many makers repeat their name in that of the model.
      metadata.camera = model.hasPrefix(make) ? model : "\(make) \(model)"
    } else {
      metadata.camera = model ?? make
    }
    if let count = order.integer(bytes, at: first, byteCount: 2),
      let second = order.integer(bytes, at: first + 2 + count * 12, byteCount: 4), second > 0
    {
      metadata.hasThumbnail = entry(Tag.thumbnail, tiff + second) != nil
    }
    return metadata == PictureMetadata() ? nil : metadata
  }
}
