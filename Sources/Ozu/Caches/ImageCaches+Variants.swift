import Foundation

/// The list of finished pictures of a source in the first store, kept from one process to the next. These functions
/// block; only the pipeline's own threads may call them.
///
/// One small entry for each source, under the source's key; the disk limits their total size. The entry is written
/// after the picture that it lists, by the only thread that writes. A crash between the two writes loses a hint.
extension ImageCaches {
  /// The finished pictures of a source, as listed in the first store.
  func storedVariants(of source: CacheKey) -> [KnownVariants.Variant] {
    let key = ImageStoreKey(.variants, source)
    let entry = stores.first?.attempt(.read) { try $0.contains(key) ? $0.read(key) : nil } ?? nil
    return entry.flatMap { VariantsRecord($0.body, of: source) }?.pictures ?? []
  }

  /// Adds a finished picture that has been stored.
  func noteStored(_ made: KnownVariants.Variant, source: String) {
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
