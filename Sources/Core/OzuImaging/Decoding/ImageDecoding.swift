import OzuBase

/// Reads one or more image formats.
///
/// A decoder says which files it accepts, and opens them. Everything else is done by the `ImageFile` that it
/// returns, so that a file is opened only once.
public protocol ImageDecoding: Sendable {
  /// The formats this decoder reads.
  var types: [ImageType] { get }

  /// Whether this decoder accepts a file. If it declines, the next decoder is asked.
  ///
  /// By default it accepts all files of its `types`. A decoder of an app's own format accepts the files that it
  /// recognises; a decoder for some files of a known format declines the others.
  ///
  /// - Parameter type: the type that the content shows; `nil` if the content is of no known format.
  /// - Complexity: it is called for every file, so it should look only at the beginning.
  func accepts(_ data: Data, as type: ImageType?) -> Bool

  /// Opens a file: reads its header. Decodes no pixels, and takes no memory in proportion to them.
  ///
  /// - Throws: `corrupt`, `truncated` or `limitExceeded` (for numbers that are only known after counting, such as
  ///   scans).
  func open(_ data: Data, limits: DecodingLimits) throws(ImageDecodingError) -> any ImageFile

  /// Opens the beginning of a file whose other bytes are not there yet.
  ///
  /// The header then has no facts that come after the pixels, such as the number of frames. By default nothing is
  /// shown before the file is complete.
  ///
  /// - Throws: as `open(_:limits:)`, except for `truncated`.
  func open(beginning data: Data, limits: DecodingLimits) throws(ImageDecodingError) -> PartialFile

  /// Makes the whole picture of a recipe, up to upright pixels in the colours of the context, and the frames of an
  /// animation. Returns `nil` by default: then `CodecRegistry.picture(from:resize:context:)` makes it from the file
  /// that `open` returns.
  ///
  /// For a decoder that works in another process and returns only results. The caller has checked the limit on the
  /// bytes of the file, and no other.
  func makePicture(
    from data: Data, resize: Resize?, context: DecodingContext
  ) throws(ImageDecodingError) -> Picture?

  /// Does the work that the first `open` would otherwise do, such as loading a shared library. Does nothing by
  /// default.
  ///
  /// - Throws: `unsupportedType` if it fails, as opening a file would.
  func prepare() throws(ImageDecodingError)
}

extension ImageDecoding {
  /// Accepts all files of the decoder's types.
  public func accepts(_ data: Data, as type: ImageType?) -> Bool { type.map(types.contains) ?? false }

  /// Nothing is shown before the file is complete.
  public func open(beginning data: Data, limits: DecodingLimits) throws(ImageDecodingError) -> PartialFile {
    .notIncremental
  }

  /// Returns `nil`: the registry makes the picture.
  public func makePicture(
    from data: Data, resize: Resize?, context: DecodingContext
  ) throws(ImageDecodingError) -> Picture? {
    nil
  }

  /// Does nothing.
  public func prepare() throws(ImageDecodingError) {}
}

/// A way between JPEG and a format that can store it without loss.
package enum JPEGTranscoding: Int, Hashable, Sendable, CaseIterable {
  /// From a JPEG to a file that stores it.
  case store = 0
  /// From such a file to the JPEG, with the same bytes as before.
  case restore = 1

  /// The most bytes of a JPEG that a file of some bytes may give back. A stored JPEG takes about four fifths of its bytes;
  /// those of few colours take less.
  package static func restoredByteLimit(_ byteCount: Int) -> Int {
    byteCount.saturatingProduct(8).saturatingSum(1 << 20)
  }
}

/// A decoder whose format can store a JPEG without loss, and give it back.
package protocol JPEGStoring: ImageDecoding {
  /// Stores a JPEG, or gives back a stored one.
  ///
  /// - Throws: `ImageDecodingError`; `unsupportedType` if the file cannot be stored, or stores no JPEG.
  func transcoded(
    _ data: Data, _ way: JPEGTranscoding, limits: DecodingLimits
  ) throws(ImageDecodingError) -> Data
}

/// A decoder that can turn files without decoding their pixels.
package protocol LosslessTurning: ImageDecoding {
  /// Stores the picture of a file upright, without loss. The orientation that the file states stays.
  ///
  /// - Throws: `ImageDecodingError`; `unsupportedType` if the picture cannot be turned in this way.
  func turned(
    _ data: Data, from orientation: Orientation, limits: DecodingLimits
  ) throws(ImageDecodingError) -> Data
}
