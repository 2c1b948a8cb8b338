import OzuBase

/// Loads a format's renditions from the first level into memory, the most recently used first, until its task is cancelled.
struct PreloadFormat: Sendable {
  let context: LoadContext
  let format: CacheFormat

  /// The longest time between the last use of all and another use of the same session.
  static let session: TimeInterval = 3600

  /// - Returns: the number of pictures that were loaded into memory.
  func run() async -> Int {
    // Waits for pending writes, and for the removal of a replaced format.
    await context.backlog.drain()
    let entries = await context.runner.run(on: .disk, priority: .veryLow) { [context, format] in
      context.caches.renditions(of: format).map { PreloadListing($0) }
    }
    guard let entries else { return 0 }
    var newest: Date?
    var count = 0
    while !Task.isCancelled {
      let entry = await context.runner.run(on: .disk, priority: .veryLow) { [context, format] in
        entries.next().map { info in
          let key = ImageKey(rendition: info.key.key, label: info.key.label, format: format)
          // Before the rendition is read: a removal may come during that.
          let right = context.epochs.right(toResultsOf: key.source, format.name)
          return (
            info: info, key: key, right: right, rendition: context.caches.rendition(of: info, key.source)
          )
        }
      }
      guard let entry else { return count }
      newest = newest ?? entry.info.accessDate
      if format.options.preloadPolicy == .lastSession, let newest, let date = entry.info.accessDate,
        newest.timeIntervalSince(date) > Self.session
      {
        return count
      }
      guard let rendition = entry.rendition else { continue }
      guard let hasRoom = await load(rendition, entry.info, entry.key, entry.right) else { continue }
      guard hasRoom else { return count }
      count += 1
    }
    return count
  }

  /// Decodes a rendition into memory.
  ///
  /// - Returns: whether there was room; `nil` for a rendition that does not decode.
  private func load(
    _ rendition: ImageCaches.Rendition, _ info: ImageStoreInfo, _ key: ImageKey, _ right: EpochRight
  ) async -> Bool? {
    let name = info.key.label ?? format.name
    let chain = StepWork.Chain(
      from: LoadImage.Origin(), of: .data(Data(), key: name), context,
      last: (.decode(rendition.data, nil, .written), info.key.key), start: context.instant)
    let work = await JobAwaiter(context.runner, .veryLow).work(of: chain.key(0)) {
      JobStart(StepWork(chain, at: 0))
    }
    do throws(ImageError) {
      guard let step = work as? StepWork else { throw .cancelled(name) }
      let rendered = try step.outcome.get()
      let picture = rendition.picture(rendered.picture)
      let memory = context.caches.memory
      guard !Task.isCancelled, memory.totalCost + picture.byteCount <= memory.costLimit else { return false }
      guard !memory.contains(key) else { return true }
      memory.store(
        CachedPicture(
          picture: picture, stamp: rendition.record.stamp, validity: rendition.record.validity,
          formatName: format.name),
        forKey: key, cost: picture.byteCount, by: right)
      return true
    } catch {
      // A limit or a lost worker says nothing of the entry.
      if error.isOfFile {
        await context.runner.run(on: .disk, priority: .veryLow) { [context] in
          // Another may have been written since.
          guard right.isValid else { return }
          context.caches.stores.remove(ImageStoreEntry.self, info.key, .first)
        }
      }
      return nil
    }
  }
}

/// A listing that several threads iterate, one after the other.
///
/// Unchecked: the iterator is used by one piece of work on the disk's threads after another, and each is awaited
/// before the next begins.
private final class PreloadListing: @unchecked Sendable {
  private var iterator: any IteratorProtocol<ImageStoreInfo>

  init(_ entries: any Sequence<ImageStoreInfo> & Sendable) { iterator = entries.makeIterator() }

  func next() -> ImageStoreInfo? { iterator.next() }
}

extension ImageKey {
  /// The key of a rendition from disk. Its label begins with the source. If the label was shortened, or if processors or a treatment
  /// of colours follow, or if the request had credentials, the source is not known, and the picture is found only by its rendition.
  init(rendition: CacheKey, label: String?, format: CacheFormat) {
    let recipe = Recipe(format: format)
    let suffix = " " + recipe.steps.joined(separator: " ")
    if let label, label.hasSuffix(suffix) {
      let key = recipe.key(of: EntryLabel.key(ofLabel: String(label.dropLast(suffix.count))))
      if key.rendition == rendition {
        self = key
        return
      }
    }
    self.init(source: Self.unknownSource, rendition: rendition)
  }
}
