/// A picture in the memory cache, with what tells whether it still stands for its source.
///
/// A class, so that a hit counts one reference and copies nothing.
public final class CachedPicture: Sendable {
  /// The picture.
  public let picture: Picture
  /// Of the local file the picture was made from; `nil` for other sources.
  let stamp: FileStamp?
  /// Of the web original the picture was made from; `nil` for other sources.
  let validity: OriginalValidity?
  /// Of the format the picture was made for; `nil` for none.
  let formatName: String?

  init(picture: Picture, stamp: FileStamp?, validity: OriginalValidity?, formatName: String? = nil) {
    self.picture = picture
    self.stamp = stamp
    self.validity = validity
    self.formatName = formatName
  }
}
