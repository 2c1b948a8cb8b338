import Foundation

/// Renditions in the stores. These functions block; only the pipeline's own threads may call them.
extension ImageCaches {
  /// A finished picture in encoded form. A class, so that a load, which may have one, stays small.
  final class Rendition: Sendable {
    let data: Data
    let header: ImageHeader?
    let stamp: FileStamp?
    let validity: OriginalValidity?
    let notes: [String]

    init(
      data: Data, header: ImageHeader?, stamp: FileStamp?, validity: OriginalValidity?, notes: [String]
    ) {
      self.data = data
      self.header = header
      self.stamp = stamp
      self.validity = validity
      self.notes = notes
    }

    /// The rendition of an entry; `nil` if its record is unreadable, or belongs to another state of a local file.
    ///
    /// - Parameter source: `nil` if the state of a file is not to be compared.
    convenience init?(_ entry: ImageStoreEntry, of source: ImageSource?) {
      guard let record = RenditionRecord(entry.metadata),
        source?.filePath.map({ FileStamp(path: $0) == record.stamp }) ?? true
      else { return nil }
      self.init(
        data: entry.body, header: record.header, stamp: record.stamp, validity: record.validity,
        notes: record.notes)
    }

    /// The finished picture, made from the decoded `data`. If the colours are not sRGB, the decoded header says what
    /// they mean. The notes are those of the original decode.
    func picture(_ read: Picture) -> Picture {
      guard read.bitmap.colorSpace != .sRGB, var header else {
        return Picture(read.bitmap, header: header, notes: notes)
      }
      header.colorEncoding = read.header?.colorEncoding
      header.lightLevels = read.header?.lightLevels
      return Picture(read.bitmap, header: header, notes: notes)
    }
  }

  func store(_ rendition: Rendition, for request: ImageRequest, by right: EpochRight) {
    let record = RenditionRecord(
      header: rendition.header, stamp: rendition.stamp, validity: rendition.validity, notes: rendition.notes)
    guard request.format?.isRetired != true else { return }
    right.store {
      observeStore(.rendition, byteCount: rendition.data.count, for: request) {
        stores.write(
          ImageStoreEntry(metadata: record.data, body: rendition.data),
          for: ImageStoreKey(request.renditionKind, request.key.rendition, label: request.label),
          request.source.reach)
      }
    } takeBack: {
      removeRendition(for: request)
    }
  }

  func removeRendition(for request: ImageRequest) {
    stores.remove(
      ImageStoreEntry.self, ImageStoreKey(request.renditionKind, request.key.rendition), request.source.reach)
  }

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
      return labels.contains(label) || beginnings.contains(where: label.hasPrefix)
    }
  }

}

extension ImageRequest {
  /// The kind under which the finished picture is stored.
  var renditionKind: ImageStoreKind { format?.kind ?? .rendition }
}

extension ImageSource {
  /// The levels that store pictures of this source. A path and the state of a file mean nothing to another machine,
  /// so pictures of local files stay in the first level.
  var reach: StoreChain.Reach { filePath == nil ? .all : .first }
}
