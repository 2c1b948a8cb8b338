import Foundation
import OzuHTTP

/// Originals on disk. Those from the web have up to `HTTPVariants.maximumCount` variants, each under a key of its
/// own; the first has the key of the source.
extension ImageCaches {
  static let partials = Partition("partials")
  /// What beginnings of broken transfers may take on disk.
  static let partialsCapacity = 64 << 20

  private static func place(_ number: Int, of key: CacheKey) -> CacheKey {
    number == 0 ? key : key.derived("variant \(number)")
  }

  /// The bytes of a source that is not on the web, as they were loaded.
  func original(for request: ImageRequest) -> Data? {
    disk?.fetch(request.key.source, in: Self.originals)?.body
  }

  func store(_ original: FetchedData.Original, for request: ImageRequest) {
    switch original {
    case .response(let entry):
      store(entry, replacing: nil, for: request.key.source, label: request.sourceKey)
    case .data(let data):
      guard let disk, let record = try? OriginalRecord(nil).data else { return }
      disk.store(
        data, metadata: record, forKey: request.key.source, in: Self.originals, label: request.sourceKey)
    }
  }

  func removeOriginal(for request: ImageRequest) {
    removeResponses(for: request.key.source)
  }

  /// The variants of a source on the web.
  func responses(for key: CacheKey) -> [HTTPCacheEntry] {
    guard let disk else { return [] }
    return (0..<HTTPVariants.maximumCount).compactMap { number in
      let place = Self.place(number, of: key)
      guard disk.contains(place, in: Self.originals) || number == 0,
        let entry = disk.fetch(place, in: Self.originals),
        let response = OriginalRecord(entry.metadata)?.response
      else { return nil }
      return HTTPCacheEntry(response: response, body: entry.body)
    }
  }

  func store(_ entry: HTTPCacheEntry, replacing old: HTTPStoredResponse?, for key: CacheKey, label: String) {
    guard let disk, let record = try? OriginalRecord(entry.response).data else { return }
    var occupied: [Int: HTTPStoredResponse] = [:]
    for number in 0..<HTTPVariants.maximumCount {
      let place = Self.place(number, of: key)
      guard disk.contains(place, in: Self.originals) else { continue }
      occupied[number] = disk.metadata(forKey: place, in: Self.originals).flatMap {
        OriginalRecord($0)?.response
      }
    }
    let (number, emptied) = HTTPVariants.place(for: entry.response, replacing: old, among: occupied)
    for number in emptied { disk.remove(forKey: Self.place(number, of: key), in: Self.originals) }
    disk.store(
      entry.body, metadata: record, forKey: Self.place(number, of: key), in: Self.originals, label: label)
  }

  func removeResponses(for key: CacheKey) {
    for number in 0..<HTTPVariants.maximumCount {
      disk?.remove(forKey: Self.place(number, of: key), in: Self.originals)
    }
  }

  /// The beginning of a body whose transfer broke off.
  func partialBody(for key: CacheKey) -> HTTPPartialBody? {
    guard let disk, disk.contains(key, in: Self.partials), let entry = disk.fetch(key, in: Self.partials),
      let response = OriginalRecord(entry.metadata)?.response
    else { return nil }
    return HTTPPartialBody(response: response, body: entry.body)
  }

  func setPartialBody(_ partial: HTTPPartialBody?, for key: CacheKey, label: String) {
    guard let disk else { return }
    guard let partial, let record = try? OriginalRecord(partial.response).data else {
      disk.remove(forKey: key, in: Self.partials)
      return
    }
    disk.store(partial.body, metadata: record, forKey: key, in: Self.partials, label: label)
  }
}
