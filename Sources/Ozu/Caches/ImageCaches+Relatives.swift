/// What the disk remembers of the finished pictures of a source, from one process to the next. Blocks: for work queues
/// alone.
///
/// One small entry for each source, under the source's key, in a partition of their own whose capacity bounds them. It
/// is written after the picture it tells of, by the one thread that writes; a crash between the two loses a hint.
extension ImageCaches {
  static let relatives = DiskCache.Partition("relatives")
  /// For some ten thousand sources.
  static let relativesCapacity = 2 << 20

  /// The finished pictures of a source that were on disk when they were last heard of.
  func storedRelatives(of source: CacheKey) -> [Relatives.Made] {
    guard let disk, disk.contains(source, in: Self.relatives),
      let entry = disk.fetch(source, in: Self.relatives)
    else { return [] }
    return RelativesRecord(entry.body, of: source)?.pictures ?? []
  }

  /// Notes a finished picture that is on disk now.
  func noteStored(_ made: Relatives.Made, source: String) {
    var record = RelativesRecord(storedRelatives(of: made.key.source))
    guard record.note(made) else { return }
    disk?.store(
      record.data, forKey: made.key.source, in: Self.relatives, label: DiskLabel.text(ofSource: source))
  }

  /// Forgets a picture that is removed.
  func forgetStored(_ request: ImageRequest) {
    var record = RelativesRecord(storedRelatives(of: request.key.source))
    guard record.forget(request.key) else { return }
    if record.pictures.isEmpty { return forgetRelatives(of: request.key.source) }
    disk?.store(
      record.data, forKey: request.key.source, in: Self.relatives,
      label: DiskLabel.text(ofSource: request.sourceKey))
  }

  /// Forgets the pictures of a source.
  func forgetRelatives(of source: CacheKey) {
    guard let disk, disk.contains(source, in: Self.relatives) else { return }
    disk.remove(forKey: source, in: Self.relatives)
  }
}
