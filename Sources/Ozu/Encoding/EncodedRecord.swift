import Foundation
import OzuRecords

/// What stands beside an encoded image in a store.
struct EncodedRecord: Sendable {
  private static let currentVersion = 3

  let type: ImageType
  let size: PixelSize
  let frameCount: Int
  /// Of the bytes. The disk cache has checksums of its own; this one is for clients, who compare.
  let checksum: CacheKey
  /// What a user may want to know.
  let notes: [String]
  /// What tells whether its source is still the same. It has no notes of its own.
  let rendition: RenditionRecord
  /// Of the source's file; 0 when its fetcher brought pixels.
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
    // Of the part that is one of those.
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

  /// The same for a source that has been confirmed.
  func renewed(_ validity: OriginalValidity) -> EncodedRecord {
    EncodedRecord(
      type: type, size: size, frameCount: frameCount, checksum: checksum, notes: notes,
      rendition: RenditionRecord(
        header: rendition.header, stamp: rendition.stamp, validity: validity, notes: rendition.notes),
      sourceByteCount: sourceByteCount)
  }
}
