import Foundation
import Ozu

/// Makes thumbnails as the shared cache has them.
struct ThumbnailMaker: Sendable {
  let pipeline: ImagePipeline

  /// The file that a source names, as the cache knows it.
  ///
  /// - Throws: what keeps it from being read.
  static func original(_ text: String) throws -> ThumbnailCache.Original {
    guard SourceArgument.isFile(text), case .url(let url) = SourceArgument.source(text) else {
      throw ThumbnailError("only files of this machine have thumbnails in the shared cache")
    }
    // A path is taken as it was typed: URLs know of composed characters, and file names do not.
    let path = text.lowercased().hasPrefix("file:") ? url.path(percentEncoded: false) : text
    var status = stat()
    guard stat(path, &status) == 0 else { throw ImageError.noSuchFile(path) }
    guard status.st_mode & S_IFMT == S_IFREG else { throw ImageError.unreadableFile(path, code: EINVAL) }
    return ThumbnailCache.Original(
      address: FileAddress.address(ofPath: path, in: FileManager.default.currentDirectoryPath),
      modified: FileStatus.modified(status), byteCount: Int(status.st_size))
  }

  /// A PNG that fits a square, with what is known of its original. Nothing is enlarged.
  func png(_ source: ImageSource, side: Int, _ original: ThumbnailCache.Original?) async throws -> Data {
    let picture = try await pipeline.image(
      for: ImageRequest(source, resize: Resize(PixelSize(side, side), mode: .aspectFit)))
    // Of an animation the first frame.
    let png = try await pipeline.encode(Picture(picture.bitmap), as: .png)
    var texts = original.map(ThumbnailCache.texts) ?? [("Software", "Ozu \(Version.current)")]
    if let header = picture.header {
      texts += [
        ("Thumb::Image::Width", "\(header.size.width)"), ("Thumb::Image::Height", "\(header.size.height)"),
        ("Thumb::Mimetype", header.type.mediaType),
      ]
    }
    return PNGTexts.adding(texts, to: png)
  }
}

/// Why there is no thumbnail, in words.
struct ThumbnailError: Error, CustomStringConvertible {
  let description: String

  init(_ description: String) { self.description = description }
}

/// What the system says of a file, the same on every platform.
private enum FileStatus {
  static func modified(_ status: stat) -> Int {
    #if canImport(Glibc)
      Int(status.st_mtim.tv_sec)
    #else
      Int(status.st_mtimespec.tv_sec)
    #endif
  }
}
