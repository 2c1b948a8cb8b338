/// A picture in the memory cache, with what tells whether it still stands for its source.
public struct CachedPicture: Sendable {
  let picture: Picture
  /// Of the local file the picture was made from; `nil` for other sources.
  let stamp: FileStamp?
  /// Of the web original the picture was made from; `nil` for other sources.
  let validity: OriginalValidity?
}
