import Foundation
import OzuRecords

/// The metadata of an encoded image in a store.
struct EncodedRecord: Sendable {
  private static let currentVersion = 3

  let type: ImageType
  let size: PixelSize
  let frameCount: Int
  /// The checksum of the bytes. The disk cache has its own; this one is the entity tag for clients.
  let checksum: CacheKey
  /// Notes for users.
  let notes: [String]
  /// The data that says whether its source is unchanged. Its own notes are empty.
  let rendition: RenditionRecord
  /// The size of the original in bytes; 0 if a fetcher returned pixels.
  let sourceByteCount: Int

  init(
    type: ImageType, size: PixelSize, frameCount: Int, checksum: CacheKey, notes: [String] = [],
    rendition: RenditionRecord, sourceByteCount: Int
  ) {
    self.type = type
    self.size = size
    self.frameCount = frameCount
    self.checksum = checksum
    self.notes = notes
    self.rendition = rendition
    self.sourceByteCount = sourceByteCount
  }

  /// Reads a record; `nil` when it is damaged or of another version.
  init?(_ data: Data) {
    let record = FieldReader.record(data, version: Self.currentVersion) {
      (reader) throws(FieldReader.Damage) in
      guard try reader.integer() == RenditionRecord.currentVersion else { throw FieldReader.Damage() }
      return EncodedRecord(
        type: ImageType(rawValue: try reader.text()),
        size: try PixelSize(from: &reader), frameCount: try reader.integer(),
        checksum: try reader.key(),
        notes: try reader.list { (reader) throws(FieldReader.Damage) in try reader.text() },
        rendition: try RenditionRecord(from: &reader), sourceByteCount: try reader.integer())
    }
    guard let record else { return nil }
    self = record
  }

  var data: Data {
    var writer = FieldWriter()
    writer.append(Self.currentVersion)
    // The version of the nested rendition record.
    writer.append(RenditionRecord.currentVersion)
    writer.append(type.rawValue)
    size.write(to: &writer)
    writer.append(frameCount)
    writer.append(checksum)
    writer.append(notes) { $0.append($1) }
    rendition.write(to: &writer)
    writer.append(sourceByteCount)
    return writer.data
  }

  /// The same record with the new validity of a confirmed source.
  func renewed(_ validity: OriginalValidity) -> EncodedRecord {
    EncodedRecord(
      type: type, size: size, frameCount: frameCount, checksum: checksum, notes: notes,
      rendition: RenditionRecord(
        header: rendition.header, stamp: rendition.stamp, validity: validity, notes: rendition.notes),
      sourceByteCount: sourceByteCount)
  }
}
