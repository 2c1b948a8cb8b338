import OzuBase

/// Renditions in the stores. These functions block; only the pipeline's own threads may call them.
extension ImageCaches {
  /// A finished picture in encoded form. A class, so that a load, which may have one, stays small.
  final class Rendition: Sendable {
    let data: Data
    let record: RenditionRecord

    init(_ data: Data, _ record: RenditionRecord) { (self.data, self.record) = (data, record) }

    /// The rendition of an entry; `nil` if its record is unreadable, or belongs to another state of a local file.
    ///
    /// - Parameter source: `nil` if the state of a file is not to be compared.
    convenience init?(_ entry: ImageStoreEntry, of source: ImageSource?) {
      guard let record = RenditionRecord(entry.metadata),
        source?.filePath.map({ FileStamp(path: $0) == record.stamp }) ?? true
      else { return nil }
      self.init(entry.body, record)
    }

    /// The finished picture, made from the decoded `data`. If the colours are not sRGB, the decoded header says what
    /// they mean. The notes are those of the original decode.
    func picture(_ read: Picture) -> Picture {
      var header = record.header
      if read.bitmap.colorSpace != .sRGB {
        header?.colorEncoding = read.header?.colorEncoding
        header?.lightLevels = read.header?.lightLevels
      }
      return Picture(read.bitmap, header: header, notes: record.notes)
    }
  }

  func store(_ rendition: Rendition, for request: ImageRequest, by right: EpochRight) {
    right.store {
      observeStore(.rendition, byteCount: rendition.data.count, of: request.source.name, for: request) {
        write(
          ImageStoreEntry(metadata: rendition.record.data, body: rendition.data), for: .rendition(request))
      }
    } takeBack: {
      removeRendition(for: request)
    }
  }

  func removeRendition(for request: ImageRequest) { remove(ImageStoreEntry.self, .rendition(request)) }

  /// Removes the renditions of requests. Also removes everything made from the sources with these labels, encoded
  /// files included, as far as the stores list it: so also sizes that no format declares, such as those of views in
  /// an earlier run.
  func removeRenditions(for requests: [ImageRequest], ofSources labels: [String]) {
    for request in requests { removeRendition(for: request) }
    for source in Set(requests.map(\.key.source)) {
      for made in storedVariants(of: source) {
        stores.remove(ImageStoreEntry.self, ImageStoreKey(made.kind, made.key.rendition))
      }
    }
    let beginnings = labels.map { $0 + " " }
    stores.removeListed { key in
      guard key.kind.isRendition || key.kind == .encoded, let label = key.label else { return false }
      return labels.contains(label)
        || beginnings.contains { label.hasPrefix($0) && !EntryLabel.isOfLongerName(than: $0, key, label) }
    }
  }
}

/// The list of finished pictures of a source in the first store, kept from one process to the next. These functions
/// block; only the pipeline's own threads may call them.
///
/// One small entry for each source, under the source's key; the disk limits their total size. The entry is written
/// after the picture that it lists, by the only thread that writes. A crash between the two writes loses a hint.
extension ImageCaches {
  /// The finished pictures of a source, as listed in the first store.
  func storedVariants(of source: CacheKey) -> [KnownVariants.SizeVariant] {
    let key = ImageStoreKey(.variants, source)
    let entry = stores.first?.attempt(.read) { try $0.contains(key) ? $0.read(key) : nil } ?? nil
    return entry.flatMap { VariantsRecord($0.body, of: source) }?.pictures ?? []
  }

  /// Adds a finished picture that has been stored.
  func noteStored(_ made: KnownVariants.SizeVariant, source: String) {
    var record = VariantsRecord(storedVariants(of: made.key.source))
    guard record.note(made) else { return }
    write(record, of: made.key.source, label: source)
  }

  /// Removes a picture from the list.
  func forgetStored(_ request: ImageRequest) {
    var record = VariantsRecord(storedVariants(of: request.key.source))
    guard record.forget(request.key) else { return }
    if record.pictures.isEmpty { return forgetVariants(of: request.key.source) }
    write(record, of: request.key.source, label: request.sourceKey)
  }

  private func write(_ record: VariantsRecord, of source: CacheKey, label: String) {
    stores.write(
      ImageStoreEntry(metadata: Data(), body: record.data),
      for: ImageStoreKey(.variants, source, label: EntryLabel.text(ofSource: label)))
  }

  /// Removes the list of a source.
  func forgetVariants(of source: CacheKey) {
    let key = ImageStoreKey(.variants, source)
    guard stores.mayContain(key) else { return }
    stores.remove(ImageStoreEntry.self, key)
  }
}

extension CacheFormat {
  /// The kind of the format's renditions in the stores.
  var kind: ImageStoreKind { .format(name) }
  /// The step of the format in the recipe of a request.
  var step: String { "format(\(name))" }
  /// What its removal hides: its renditions, and the files in it.
  var removals: [ImageCaches.Removal] { [.kind(kind), .files(format: name)] }
}

/// Operations of cache formats on the stores. These functions block; only the pipeline's own threads may call them.
extension ImageCaches {
  /// Applies the capacity of a format to the first level. Further levels have their own limits.
  func applyCapacity(of format: CacheFormat) {
    let capacity = format.diskCapacity
    guard capacity == 0 else {
      stores.first?.store.setCapacity(capacity, of: format.kind)
      tellDiskEvictions()
      return
    }
    // For a store zero means no limit; for a format it means nothing on disk.
    stores.removeAll(of: format.kind, .first)
  }

  /// Removes all renditions of a format, and all encoded files in that format.
  func removeRenditions(of format: CacheFormat) {
    stores.removeAll(of: format.kind)
    // In a label the format is the first step. If the name of a source contains the same text, its files are removed
    // too, and made again.
    let step = " " + format.step
    stores.removeListed(of: .encoded) { key in
      key.label.map { $0.hasSuffix(step) || $0.contains(step + " ") } ?? false
    }
  }

  /// The bytes of a format's renditions in the first level.
  func byteCount(of format: CacheFormat) -> Int {
    stores.first?.store.byteCount(of: format.kind) ?? 0
  }

  /// The renditions of a format in the first level, the most recently used first.
  func renditions(of format: CacheFormat) -> (any Sequence<ImageStoreInfo> & Sendable)? {
    stores.first?.attempt(.list) { [kind = format.kind] in try $0.entries(of: kind) }
  }

  /// Marks a rendition as used now, and writes it again if it was evicted.
  func touchRendition(
    of cached: CachedPicture, for request: ImageRequest, by right: EpochRight, orStore encode: () -> Data?
  ) {
    let wanted = Wanted.rendition(request)
    guard stores.first != nil, !stores.touch(wanted.key, wanted.reach),
      request.mayKeepRendition(cached.picture), !request.isOriginal(cached.picture), let data = encode()
    else { return }
    let record = RenditionRecord(of: cached.picture, stamp: cached.stamp, validity: cached.validity)
    store(Rendition(data, record), for: request, by: right)
  }
}

/// Encoded images in memory and in the stores. The functions that use stores block; only the pipeline's own threads
/// may call them.
extension ImageCaches {
  /// The file in memory, fresh or not. One that was made from another state of a local file is removed.
  func encodedInMemory(_ key: CacheKey, of request: ImageRequest) -> EncodedEntry? {
    guard let entry = encodedMemory.value(forKey: key) else { return nil }
    if entry.stands(for: request.source) { return entry }
    encodedMemory.removeValue(forKey: key)
    return nil
  }

  /// The file. One that was made from another state of a local file is removed from the first level.
  func encoded(_ key: CacheKey, of request: ImageRequest, from tiers: Tiers) -> EncodedEntry? {
    read(.encoded(key, request), from: tiers) { (entry: ImageStoreEntry) in
      EncodedEntry(entry, of: request).map { ($0, $0.data.count) }
    }
  }

  func store(_ entry: EncodedEntry, _ key: CacheKey, for request: ImageRequest, by right: EpochRight) {
    right.store {
      observeStore(.encoded, byteCount: entry.data.count, of: request.source.name, for: request) {
        write(ImageStoreEntry(metadata: entry.record.data, body: entry.data), for: .encoded(key, request))
      }
    } takeBack: {
      removeEncoded(key, of: request)
    }
  }

  func removeEncoded(_ key: CacheKey, of request: ImageRequest) {
    remove(ImageStoreEntry.self, .encoded(key, request))
  }

  /// Puts a file into memory. The cache refuses files that are too large.
  func keepEncoded(_ entry: EncodedEntry, _ key: CacheKey, by right: EpochRight) {
    encodedMemory.store(entry, forKey: key, cost: entry.data.count + Self.encodedOverhead) { right.isValid }
  }

  /// The approximate memory of an entry beside its bytes.
  private static let encodedOverhead = 512
}

extension EncodedEntry {
  /// The entry of a store; `nil` if its record is unreadable, or belongs to another state of a local file.
  fileprivate convenience init?(_ entry: ImageStoreEntry, of request: ImageRequest) {
    guard let record = EncodedRecord(entry.metadata) else { return nil }
    self.init(entry.body, record, of: request)
    if !stands(for: request.source) { return nil }
  }
}
