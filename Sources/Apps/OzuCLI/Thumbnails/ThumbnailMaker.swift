import Foundation
import Ozu
import OzuBase

/// Makes thumbnails in the format of the shared cache.
struct ThumbnailMaker: Sendable {
  let pipeline: ImagePipeline

  /// The original that a source names, with its address and the time of its last change.
  ///
  /// - Throws: `OutputError` for a source that is not a local file, `ImageError` for a file that cannot be read.
  static func original(_ text: String) throws -> ThumbnailCache.Original {
    guard SourceArgument.isFile(text) else {
      throw OutputError(reason: "only files of this machine have thumbnails in the shared cache")
    }
    let path = SourceArgument.path(ofFile: text)
    var status = stat()
    guard stat(path, &status) == 0 else { throw ImageError.noSuchFile(path) }
    guard status.st_mode & S_IFMT == S_IFREG else { throw ImageError.irregularFile(path) }
    return ThumbnailCache.Original(
      address: FileAddress.address(ofPath: path, in: FileManager.default.currentDirectoryPath),
      modified: FileTimes(status).changed.tv_sec, byteCount: Int(status.st_size))
  }

  /// A PNG that fits a square, with the texts about its original. Nothing is enlarged.
  func png(_ source: ImageSource, side: Int, _ original: ThumbnailCache.Original) async throws -> Data {
    let picture = try await pipeline.image(
      for: ImageRequest(source, resize: Resize(PixelSize(side, side), mode: .aspectFit)))
    // Only the first frame of an animation.
    let png = try await pipeline.encode(Picture(picture.bitmap), as: .png)
    var texts = ThumbnailCache.texts(of: original)
    if let header = picture.header {
      texts += [
        ("Thumb::Image::Width", "\(header.size.width)"), ("Thumb::Image::Height", "\(header.size.height)"),
        ("Thumb::Mimetype", header.type.mediaType),
      ]
    }
    return PNGTexts.adding(texts, to: png)
  }
}

/// The address of a local file, spelled as desktops spell it: programs find each other's thumbnails by its digest, so every
/// character counts.
enum FileAddress {
  /// The characters that GLib leaves as they are in a path, beside letters and digits.
  private static let plain = "!$&'()*+,-./:=@_~"

  /// The `file:` address of a path; a relative path counts from `folder`.
  ///
  /// - Parameter path: links in it are not followed, because a link has a thumbnail of its own.
  static func address(ofPath path: String, in folder: String) -> String {
    let whole = path.hasPrefix("/") ? path : folder + "/" + path
    var parts: [Substring] = []
    for part in whole.split(separator: "/") where part != "." {
      if part == ".." { _ = parts.popLast() } else { parts.append(part) }
    }
    return "file:///" + PercentEncoding.encoded(parts.joined(separator: "/"), keeping: plain)
  }
}
