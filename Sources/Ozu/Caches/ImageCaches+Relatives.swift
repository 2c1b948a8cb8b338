import Foundation

/// What the first level remembers of the finished pictures of a source, from one process to the next. Blocks: for the
/// pipeline's own threads alone.
///
/// One small entry for each source, under the source's key, whose capacity the disk bounds. It is written after the picture
/// it tells of, by the one thread that writes; a crash between the two loses a hint.
extension ImageCaches {
  /// The finished pictures of a source that were stored when they were last heard of.
  func storedRelatives(of source: CacheKey) -> [Relatives.Made] {
    let key = ImageStoreKey(.relatives, source)
    let entry = stores.first?.attempt(.read) { try $0.contains(key) ? $0.read(key) : nil } ?? nil
    return entry.flatMap { RelativesRecord($0.body, of: source) }?.pictures ?? []
  }

  /// Notes a finished picture that is stored now.
  func noteStored(_ made: Relatives.Made, source: String) {
    var record = RelativesRecord(storedRelatives(of: made.key.source))
    guard record.note(made) else { return }
    write(record, of: made.key.source, label: source)
  }

  /// Forgets a picture that is removed.
  func forgetStored(_ request: ImageRequest) {
    var record = RelativesRecord(storedRelatives(of: request.key.source))
    guard record.forget(request.key) else { return }
    if record.pictures.isEmpty { return forgetRelatives(of: request.key.source) }
    write(record, of: request.key.source, label: request.sourceKey)
  }

  private func write(_ record: RelativesRecord, of source: CacheKey, label: String) {
    stores.write(
      ImageStoreEntry(metadata: Data(), body: record.data),
      for: ImageStoreKey(.relatives, source, label: EntryLabel.text(ofSource: label)))
  }

  /// Forgets the pictures of a source.
  func forgetRelatives(of source: CacheKey) {
    let key = ImageStoreKey(.relatives, source)
    guard stores.mayContain(key) else { return }
    stores.remove(ImageStoreEntry.self, key)
  }
}
