#if canImport(FoundationEssentials)
  import FoundationEssentials
#else
  import Foundation
#endif

/// Reads one or more image formats.
///
/// A decoder says which files it takes, and opens them. All that is made of a file is asked of the `ImageFile` that it
/// gives, so that a file is opened once.
public protocol ImageDecoding: Sendable {
  /// The formats this decoder reads.
  var types: [ImageType] { get }

  /// Whether this decoder takes a file. One that declines is passed over, and the next is asked.
  ///
  /// By default it takes what is one of its `types`. A decoder of a format of the app's own takes what it recognises;
  /// one for some files of a known format declines the others.
  ///
  /// - Parameter type: what the content says it is; `nil` when it is no format known here.
  /// - Complexity: to be asked of every file; it looks at the beginning and no more.
  func accepts(_ data: Data, as type: ImageType?) -> Bool

  /// Opens a file: reads its header, without decoding pixels and without memory in proportion to them.
  ///
  /// - Throws: `corrupt`, `truncated` or `limitExceeded` (for what must be counted to be declared, as scans).
  func open(_ data: Data, limits: DecodingLimits) throws(DecodingError) -> any ImageFile

  /// Opens a file of which only the beginning is there.
  ///
  /// What follows the pixels in a file, as the frames of an animation do, is not in the header then. By default nothing is
  /// shown before a file is whole.
  ///
  /// - Throws: as `open(_:limits:)`, but for `truncated`.
  func open(beginning data: Data, limits: DecodingLimits) throws(DecodingError) -> PartialFile

  /// Makes the picture of a recipe whole, up to upright pixels in the colours of the context, and the frames of one that
  /// moves. `nil` by default: `CodecRegistry.picture(from:resize:context:)` makes it with what `open` gives.
  ///
  /// For a decoder that works elsewhere, as in a process of its own, and hands over results alone. The limit on the bytes
  /// of the file was checked by the caller, and nothing else.
  ///
  /// - Throws: `DecodingError`.
  func makePicture(
    from data: Data, resize: Resize?, context: DecodingContext
  ) throws(DecodingError) -> Picture?

  /// Does what opening the first file would otherwise wait for, such as loading a shared library. By default nothing.
  ///
  /// - Throws: `unsupportedType` when it cannot be done, as opening a file would.
  func prepare() throws(DecodingError)
}

extension ImageDecoding {
  /// What is one of the decoder's types.
  public func accepts(_ data: Data, as type: ImageType?) -> Bool { type.map(types.contains) ?? false }

  /// Nothing is shown before a file is whole.
  public func open(beginning data: Data, limits: DecodingLimits) throws(DecodingError) -> PartialFile {
    .shownWhole
  }

  /// The registry makes it.
  public func makePicture(
    from data: Data, resize: Resize?, context: DecodingContext
  ) throws(DecodingError) -> Picture? {
    nil
  }

  /// There is nothing to do.
  public func prepare() throws(DecodingError) {}
}
