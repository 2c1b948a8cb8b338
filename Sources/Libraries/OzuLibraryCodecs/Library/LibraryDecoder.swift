import CCodecs
import OzuBase
import OzuCodecs
import OzuImaging

/// Decodes through one of the libraries of the package traits. All of the decoder is here: a new format only needs
/// its constructor in C.
struct LibraryDecoder: ImageDecoding {
  /// The part of a file that the library reads.
  struct Inspection {
    /// The file, or an excerpt of it.
    var data: Data
    /// The number of pixels of the largest picture in the file; 0 if the library only decodes the picture of the header.
    var largestPixelCount = 0
    /// Whether the file has a smaller rendition that `thumbnail` looks for.
    var hasThumbnail = false
    /// The other contents of the file, which are not shown.
    var remainder: String?
  }

  typealias Opening =
    @Sendable (UnsafePointer<UInt8>?, Int, OzuPictureLimits) -> OpaquePointer?

  let type: ImageType
  /// The first bytes of a file, for a format that `ContentKind` does not know.
  var signature: [UInt8] = []
  /// Whether pictures have no pixels of their own and are drawn at any size.
  var isDrawing = false
  /// Notes for the header of each file.
  var notes: [String] = []
  /// Makes a file of the smaller rendition that a container may have beside its picture. `nil` if there is none that
  /// shows the same.
  var thumbnail: (@Sendable (Data) -> Data?)?
  /// Opens a smaller rendition of the picture, by its place in the file, if the library finds some.
  var level: (@Sendable (UnsafePointer<UInt8>?, Int, OzuPictureLimits, UInt64) -> OpaquePointer?)?
  let opening: Opening
  /// Checks a file before the library reads it, and says what the library reads.
  var inspect: (@Sendable (Data, DecodingLimits) throws(ImageDecodingError) -> Inspection)?
  /// Makes the decoder for a file that is downloaded; the Bool says whether its colours are premultiplied. `nil` if
  /// the library shows nothing before a file is complete.
  var feed: (@Sendable (ImageHeader, Bool, DecodingContext) throws(ImageDecodingError) -> any PictureFeed)?

  init(type: ImageType, signature: [UInt8] = [], open: @escaping Opening) {
    self.type = type
    self.signature = signature
    self.opening = open
  }

  var types: [ImageType] { [type] }

  func accepts(_ data: Data, as type: ImageType?) -> Bool {
    if let type { return type == self.type }
    return !signature.isEmpty && data.starts(with: signature)
  }

  func open(_ data: Data, limits: DecodingLimits) throws(ImageDecodingError) -> any ImageFile {
    try LibraryFile(data, library: self, limits: limits)
  }

  /// Loads the library, unless the program is linked with it, and the library's plugins.
  ///
  /// - Throws: `unsupportedType` if it is not installed.
  func prepare() throws(ImageDecodingError) {
    guard let decoder = opening(nil, 0, OzuPictureLimits()) else {
      throw .corrupt(type, stage: "header", reason: "out of memory")
    }
    defer { ozu_picture_free(decoder) }
    guard ozu_picture_prepare(decoder) else {
      throw .unsupportedType(type, reason: String(cString: ozu_picture_message(decoder)))
    }
  }
}

/// A decoder of a format that leaves all to a library.
protocol LibraryDecoding: ImageDecoding {
  var library: LibraryDecoder { get }
}

extension LibraryDecoding {
  /// The formats that the library reads.
  public var types: [ImageType] { library.types }

  /// Opens a file with the library, which decodes no pixels for it.
  ///
  /// - Throws: `ImageDecodingError`.
  public func open(_ data: Data, limits: DecodingLimits) throws(ImageDecodingError) -> any ImageFile {
    try library.open(data, limits: limits)
  }

  /// Loads the library.
  ///
  /// - Throws: `unsupportedType` if it, or a plugin that it needs, is not installed.
  public func prepare() throws(ImageDecodingError) { try library.prepare() }
}
