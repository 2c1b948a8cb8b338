/// A picture in the memory cache, with the data that says whether it is still valid for its source.
///
/// A class, so that a hit retains one reference and copies nothing.
public final class CachedPicture: Sendable {
  /// The picture.
  public let picture: Picture
  /// The stamp of the local file from which the picture was made; `nil` for other sources.
  let stamp: FileStamp?
  /// The validity of the web original from which the picture was made; `nil` for other sources.
  let validity: OriginalValidity?
  /// The name of the cache format for which the picture was made; `nil` without one.
  let formatName: String?

  init(picture: Picture, stamp: FileStamp?, validity: OriginalValidity?, formatName: String? = nil) {
    self.picture = picture
    self.stamp = stamp
    self.validity = validity
    self.formatName = formatName
  }
}
