/// The caches: storing a file, and removing one that is out of date.
extension EncodeImage {
  /// Stores a file, and the source's bytes if they are given and new. Waits if the backlog has no room.
  func write(_ entry: EncodedEntry, _ fetched: FetchedData?) -> JobStep {
    var waits = fetched.map { context.storeOriginal($0, for: goal.load) } ?? []
    if goal.writesMemory { context.caches.keepEncoded(entry, goal.key) }
    if goal.writesStores, !context.caches.stores.isEmpty {
      let wait = context.backlog.add(byteCount: entry.data.count) { [context, goal] _ in
        context.caches.store(entry, goal.key, for: goal.request)
      }
      if let wait { waits.append(wait) }
    }
    next = .wait
    // Writes happen in order: when the last is done, all are done.
    return waits.last.map(JobStep.depend) ?? .finish(succeeded: true)
  }

  func forget() {
    guard request.cachePolicy.writesCaches else { return }
    context.caches.encodedMemory.removeValue(forKey: goal.key)
    context.backlog.enqueue { [context, goal] in context.caches.removeEncoded(goal.key, of: goal.request) }
  }
}
