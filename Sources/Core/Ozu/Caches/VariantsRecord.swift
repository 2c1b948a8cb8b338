import OzuBase

/// The list of stored finished pictures of one source. A later process derives smaller pictures from them.
///
/// Like those of `KnownVariants`, the entries are hints, and at most eight: the code that uses one checks whether the
/// picture is still stored and valid. A record of an unknown version, or a damaged one, counts as empty.
struct VariantsRecord {
  /// The version of the fields and that of the pixels: smaller pictures must not be derived from pictures that an
  /// earlier release made in another way.
  static let currentVersion = 768 + ImageKey.pixelVersion

  private(set) var pictures: [KnownVariants.SizeVariant]

  init(_ pictures: [KnownVariants.SizeVariant] = []) { self.pictures = pictures }

  /// Reads the record of a source.
  init?(_ data: Data, of source: CacheKey) {
    let record = FieldReader.record(data, version: Self.currentVersion) {
      (reader) throws(FieldReader.Damage) in
      VariantsRecord(
        try reader.list { (reader) throws(FieldReader.Damage) in
          try KnownVariants.SizeVariant(from: &reader, of: source)
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

  /// Adds a picture; removes the oldest if there are too many.
  ///
  /// - Returns: whether the list has changed.
  mutating func note(_ made: KnownVariants.SizeVariant) -> Bool {
    if pictures.contains(made) { return false }
    pictures.removeAll { $0.key == made.key }
    pictures.append(made)
    pictures.removeFirst(max(0, pictures.count - KnownVariants.pictureLimit))
    return true
  }

  /// Removes a picture.
  ///
  /// - Returns: whether it was there.
  mutating func forget(_ key: ImageKey) -> Bool {
    let count = pictures.count
    pictures.removeAll { $0.key == key }
    return pictures.count < count
  }
}

extension KnownVariants.SizeVariant {
  fileprivate func write(to writer: inout FieldWriter) {
    writer.append(key.rendition)
    size.write(to: &writer)
    writer.append(kind.name)
    writer.append(keepsProfile)
    writer.append(resize) { $1.write(to: &$0) }
  }

  fileprivate init(from reader: inout FieldReader, of source: CacheKey) throws(FieldReader.Damage) {
    let key = ImageKey(source: source, rendition: try reader.key())
    let size = try PixelSize(from: &reader)
    let kind = ImageStoreKind(try reader.text())
    let keepsProfile = try reader.flag()
    let resize = try reader.optional { (reader) throws(FieldReader.Damage) in
      let resize = try Resize(from: &reader)
      guard !resize.size.isEmpty, max(resize.size.width, resize.size.height) <= ImageRequest.maximumSide
      else {
        throw FieldReader.Damage()
      }
      return resize
    }
    self.init(key: key, resize: resize, keepsProfile: keepsProfile, size: size, kind: kind)
  }
}
