import OzuBase
import OzuHTTP

/// The metadata of a stored rendition: the header of its source, the data that says whether the source is unchanged,
/// and the notes of the picture.
///
/// A record of an unknown version is a miss. The version grows when the layout of the record changes, and when
/// pictures are made in another way: those of earlier releases are then made again.
struct RenditionRecord {
  static let currentVersion = 6

  /// The header of the source; `nil` if the source was pixels.
  var header: ImageHeader?
  var stamp: FileStamp?
  var validity: OriginalValidity?
  /// `Picture.notes`, within its bounds.
  var notes: [String]
}

extension RenditionRecord {
  /// The record of a picture that was made from a state of a file, or from an original.
  init(of picture: Picture, stamp: FileStamp?, validity: OriginalValidity?) {
    self.init(header: picture.header, stamp: stamp, validity: validity, notes: picture.notes)
  }

  /// Reads a record; `nil` when it is damaged or of another version.
  init?(_ data: Data) {
    let record = FieldReader.record(data, version: Self.currentVersion) {
      (reader) throws(FieldReader.Damage) in try RenditionRecord(from: &reader)
    }
    guard let record else { return nil }
    self = record
  }

  /// Reads the fields that `write` has written.
  init(from reader: inout FieldReader) throws(FieldReader.Damage) {
    header = try reader.optional { (reader) throws(FieldReader.Damage) in
      let header = try ImageHeader(from: &reader)
      // Computed with as if a decoder had said it.
      guard header.flaw(from: [header.type]) == nil else { throw FieldReader.Damage() }
      return header
    }
    stamp = try reader.optional { (reader) throws(FieldReader.Damage) in try FileStamp(from: &reader) }
    validity = try reader.optional { (reader) throws(FieldReader.Damage) in
      OriginalValidity(
        receptionDate: try reader.date(), freshUntil: try reader.date(), bodyIdentity: try reader.text(),
        mayUseOffline: try reader.flag())
    }
    notes = try reader.list { (reader) throws(FieldReader.Damage) in try reader.text() }
    let dates = validity.map { [$0.receptionDate, $0.freshUntil] } ?? []
    guard dates.allSatisfy({ HTTPStoredResponse.deadlines.holds($0) }) else {
      throw FieldReader.Damage()
    }
    // A picture never has more notes than these bounds allow.
    guard notes == PictureNotes.bounded(notes) else { throw FieldReader.Damage() }
  }

  var data: Data {
    var writer = FieldWriter()
    writer.append(Self.currentVersion)
    write(to: &writer)
    return writer.data
  }

  /// Writes the fields without the version, also as a part of a larger record.
  func write(to writer: inout FieldWriter) {
    writer.append(header) { $1.write(to: &$0) }
    writer.append(stamp) { $1.write(to: &$0) }
    writer.append(validity) { writer, validity in
      writer.append(validity.receptionDate)
      writer.append(validity.freshUntil)
      writer.append(validity.bodyIdentity)
      writer.append(validity.mayUseOffline)
    }
    writer.append(notes) { $0.append($1) }
  }
}

extension FileStamp {
  fileprivate func write(to writer: inout FieldWriter) {
    writer.append(byteCount)
    writer.append(modifiedSeconds)
    writer.append(modifiedNanoseconds)
    writer.append(inode)
  }

  fileprivate init(from reader: inout FieldReader) throws(FieldReader.Damage) {
    self.init(
      byteCount: Int64(try reader.integer()), modifiedSeconds: try reader.integer(),
      modifiedNanoseconds: try reader.integer(), inode: try reader.word())
  }
}

/// How long a picture made from an original is valid: it is as fresh as its original, and becomes invalid when the
/// body of the original changes.
struct OriginalValidity: Hashable, Sendable {
  /// When the origin sent or confirmed it last.
  let receptionDate: Date
  /// Until this time the origin need not be asked.
  let freshUntil: Date
  /// The identity of the body from which the picture was made.
  let bodyIdentity: String
  /// Whether the picture may be served after that time if the origin cannot be reached (RFC 9111 §4.2.4).
  let mayUseOffline: Bool

  /// For a picture of an original from the web that nobody has looked at: the next load does.
  static let unknown = OriginalValidity(
    receptionDate: .distantPast, freshUntil: .distantPast, bodyIdentity: "", mayUseOffline: false)

  /// Whether the origin need not be asked. Like a stored response, a picture that is dated in the future is not fresh.
  func isFresh(at date: Date) -> Bool {
    date < freshUntil && !HTTPCachePolicy.isDatedInFuture(receptionDate, now: date)
  }

  /// Whether both have the same body.
  func hasBody(of other: OriginalValidity?) -> Bool {
    !bodyIdentity.isEmpty && other?.bodyIdentity == bodyIdentity
  }
}

extension FieldWriter {
  mutating func append(_ key: CacheKey) {
    append(key.high)
    append(key.low)
  }
}

extension FieldReader {
  mutating func key() throws(Damage) -> CacheKey { CacheKey(high: try word(), low: try word()) }
}
