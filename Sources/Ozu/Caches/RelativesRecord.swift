import Foundation
import OzuRecords

/// Which finished pictures of one source are stored: what a later process starts from when it is asked for a smaller
/// one.
///
/// Like `Relatives` these are hints, and eight at most: whoever follows one looks whether the picture is still there
/// and still stands for its source. A record of an unknown version, or a damaged one, has none.
struct RelativesRecord {
  /// That of the fields, and that of the pixels: a picture that an earlier release made is no start for a smaller one.
  static let currentVersion = 256 + ImageKey.pixelVersion

  private(set) var pictures: [Relatives.Made]

  init(_ pictures: [Relatives.Made] = []) { self.pictures = pictures }

  /// Reads the record of a source.
  init?(_ data: Data, of source: CacheKey) {
    let record = FieldReader.record(data, version: Self.currentVersion) {
      (reader) throws(FieldReader.Damage) in
      RelativesRecord(
        try reader.list { (reader) throws(FieldReader.Damage) in
          try Relatives.Made(from: &reader, of: source)
        })
    }
    guard let record else { return nil }
    self = record
  }

  var data: Data {
    var writer = FieldWriter()
    writer.append(Self.currentVersion)
    writer.append(pictures) { $1.write(to: &$0) }
    return writer.data
  }

  /// Adds a picture; the oldest goes when there are too many.
  ///
  /// - Returns: whether that changes anything.
  mutating func note(_ made: Relatives.Made) -> Bool {
    if pictures.contains(made) { return false }
    pictures.removeAll { $0.key == made.key }
    pictures.append(made)
    pictures.removeFirst(max(0, pictures.count - Relatives.pictureLimit))
    return true
  }

  /// Takes out a picture.
  ///
  /// - Returns: whether it was there.
  mutating func forget(_ key: ImageKey) -> Bool {
    let count = pictures.count
    pictures.removeAll { $0.key == key }
    return pictures.count < count
  }
}

extension Relatives.Made {
  fileprivate func write(to writer: inout FieldWriter) {
    writer.append(key.rendition)
    size.write(to: &writer)
    writer.append(kind.name)
    writer.append(resize) { $1.write(to: &$0) }
  }

  fileprivate init(from reader: inout FieldReader, of source: CacheKey) throws(FieldReader.Damage) {
    let key = ImageKey(source: source, rendition: try reader.key())
    let size = try PixelSize(from: &reader)
    let kind = ImageStoreKind(try reader.text())
    let resize = try reader.optional { (reader) throws(FieldReader.Damage) in
      let resize = try Resize(from: &reader)
      guard !resize.size.isEmpty, max(resize.size.width, resize.size.height) <= ImageRequest.maximumSide
      else {
        throw FieldReader.Damage()
      }
      return resize
    }
    self.init(key: key, resize: resize, size: size, kind: kind)
  }
}
