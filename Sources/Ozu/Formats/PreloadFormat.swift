import Foundation

/// The job that brings a format's renditions from disk into memory, those used last first.
struct PreloadFormat: Sendable {
  let parts: PipelineParts
  let format: CacheFormat
  let preload: FormatPreload

  /// How far apart uses of one session are at most.
  static let session: TimeInterval = 3600

  /// - Returns: how many pictures went into memory.
  func run() async -> Int {
    // What is being written counts too, and a format that was replaced is cleared first.
    await parts.backlog.drain()
    let entries = await parts.diskQueue.run(priority: .veryLow) { [parts, format] _ in
      parts.caches.disk?.entries(in: format.partition)
    }
    guard var entries = entries?.makeIterator() else { return 0 }
    var newest: Date?
    var count = 0
    while !preload.isStopped {
      let current = entries
      let step = await parts.diskQueue.run(priority: .veryLow) { [parts, format] _ in
        var rest = current
        let entry = rest.next().map { info in
          (info: info, rendition: parts.caches.rendition(of: info, in: format))
        }
        return (rest: rest, entry: entry)
      }
      entries = step.rest
      guard let entry = step.entry else { return count }
      let last = newest ?? entry.info.accessDate
      newest = last
      if format.preloadPolicy == .lastSession,
        last.timeIntervalSince(entry.info.accessDate) > Self.session
      {
        return count
      }
      guard let rendition = entry.rendition else { continue }
      guard let hasRoom = await load(rendition, entry.info) else { continue }
      guard hasRoom else { return count }
      count += 1
    }
    return count
  }

  /// Decodes a rendition into memory.
  ///
  /// - Returns: whether there was room; `nil` for a rendition that does not decode.
  private func load(_ rendition: ImageCaches.Rendition, _ info: DiskCache.EntryInfo) async -> Bool? {
    let (origin, name) = (LoadImage.Origin(), info.label ?? format.name)
    let key = RenderJobs.Key(origin: ObjectIdentifier(origin), recipe: info.key, number: 0)
    let way = RenderJobs.Way(origin: origin, name: name, keys: [key], steps: [.decode(rendition.data, nil)])
    do throws(ImageError) {
      let rendered = try await parts.renders.value(
        of: way, priority: .fixed(.veryLow), cancellation: .cancelled(name))
      let picture = Picture(rendered.picture.bitmap, header: rendition.header)
      let memory = parts.caches.memory
      guard !preload.isStopped, memory.totalCost + picture.byteCount <= memory.costLimit else { return false }
      let key = ImageKey(rendition: info.key, label: info.label, format: format)
      if !memory.contains(key) {
        memory.insert(
          CachedPicture(
            picture: picture, stamp: rendition.stamp, validity: rendition.validity, formatName: format.name),
          forKey: key, cost: picture.byteCount)
      }
      return true
    } catch {
      await parts.diskQueue.run(priority: .veryLow) { [parts, format] _ in
        _ = parts.caches.disk?.remove(forKey: info.key, in: format.partition)
      }
      return nil
    }
  }
}

extension ImageCaches {
  /// The rendition that a listing has named; `nil`, and removed, when it has no record of ours.
  func rendition(of info: DiskCache.EntryInfo, in format: CacheFormat) -> Rendition? {
    // Read without counting as a use: what is preloaded has not been looked at yet.
    guard let disk, let record = RenditionRecord(info.metadata),
      let data = disk.peek(info.key, in: format.partition)
    else { return nil }
    return Rendition(data: data, header: record.header, stamp: record.stamp, validity: record.validity)
  }
}

extension ImageKey {
  /// The key of a rendition that was found on disk. Its label begins with the source; where that was cut, or
  /// processors follow, the source is not known, and only looking it up by the rendition finds it.
  init(rendition: CacheKey, label: String?, format: CacheFormat) {
    let steps = ["format(\(format.name))", format.resize?.identifier].compactMap(\.self)
    let suffix = " " + steps.joined(separator: " ")
    if let label, label.hasSuffix(suffix) {
      let key = ImageKey(source: DiskLabel.key(ofLabel: String(label.dropLast(suffix.count))), steps: steps)
      if key.rendition == rendition {
        self = key
        return
      }
    }
    self.init(source: rendition, rendition: rendition)
  }
}
