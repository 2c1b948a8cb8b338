import Foundation
import Ozu

/// The outcome for one source of `ozu thumbnail`.
struct ThumbnailReport: SourceReporting {
  var errorLines: [String] = []
  /// The thumbnails that were made.
  var paths: [String] = []
}

/// The work of `ozu thumbnail` on the shared cache.
struct ThumbnailRun: Sendable {
  let cache: ThumbnailCache
  let maker: ThumbnailMaker
  let sizes: [ThumbnailSize]
  /// Whether to make thumbnails that exist already, or that could not be made before.
  let isForced: Bool

  /// Makes the thumbnails of a source that are missing or older than it.
  func make(_ text: String) async -> ThumbnailReport {
    let original: ThumbnailCache.Original
    do {
      original = try ThumbnailMaker.original(text)
    } catch {
      return failure(text, error)
    }
    // The cache has no thumbnails of thumbnails.
    let folder = FileAddress.address(ofPath: cache.folder, in: FileManager.default.currentDirectoryPath)
    if original.address.hasPrefix(folder + "/") { return ThumbnailReport() }
    let wanted = sizes.filter { isForced || !cache.hasThumbnail(of: original, $0) }
    if wanted.isEmpty { return ThumbnailReport() }
    if !isForced, cache.hasFailed(original) {
      return failure(text, ThumbnailError("no thumbnail could be made before; --force tries again"))
    }
    var report = ThumbnailReport()
    for size in wanted {
      let png: Data
      do {
        png = try await maker.png(SourceArgument.source(text), side: size.side, original)
      } catch {
        // Only a fault of the picture is remembered, not a full disk or a file without permission.
        if (error as? ImageError)?.isAboutPicture ?? false { try? cache.storeFailure(of: original) }
        return failure(text, error)
      }
      do {
        try await BlockingWork.run { try cache.store(png, of: original, size) }
        report.paths.append(cache.path(of: original, size))
      } catch {
        return failure(text, error)
      }
    }
    return report
  }

  private func failure(_ text: String, _ error: any Error) -> ThumbnailReport {
    ThumbnailReport(errorLines: ["ozu: \(SourceArgument.line(text)): \(error.reason)"])
  }
}

extension ImageError {
  /// Whether the picture is the cause, so that another attempt would fail too.
  fileprivate var isAboutPicture: Bool {
    switch kind {
    case .emptyData, .notAnImage, .unsupportedType, .corruptData, .truncatedData, .limitExceeded,
      .decoderFailed:
      true
    default: false
    }
  }
}
