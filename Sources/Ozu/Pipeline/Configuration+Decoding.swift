import Foundation
import OzuStandardCodecs

extension ImagePipeline.Configuration {
  /// Decoding: the codecs, the limits for the cost of a file, and the process that decodes it.
  public struct Decoding: Sendable {
    /// The decoders and encoders.
    public var codecs = CodecRegistry.standard
    /// Whether files are decoded in separate processes, so that a file that crashes its decoder costs only its picture. Off
    /// by default. `preferred` is for the formats of C libraries, `required` for all. It applies to the built-in decoders of
    /// `codecs`; decoders of the app run in the process of the app.
    public var isolation = DecoderIsolation.off
    /// The limits for the cost of one picture. Its `encodedByteCount` also bounds downloads, while they stream.
    public var limits = DecodingLimits.default
    /// The number of pictures that are decoded at once. By default one for each core.
    public var concurrentDecodes = ProcessInfo.processInfo.activeProcessorCount
    /// The memory that all pictures together may take while they are decoded; a decode waits until it has room. By default
    /// one budget for the process.
    public var decodedByteBudget = DecodedByteBudget.shared
    /// The source of memory for pixels.
    public var pixelBufferPool = PixelBufferPool.shared
    /// Whether the pipeline decodes pictures on its own threads before it returns them. On by default. When it is off, the
    /// pipeline only reads the header of a whole picture and checks its limits. The picture is decoded when its pixels are
    /// first read, on the thread that reads them. That saves work for an app that mostly needs sizes and metadata, or
    /// shows few of the pictures that it loads. A picture that is resized or processed is always decoded. See
    /// `Picture.isDecoded` and `Picture.decode()`.
    public var isDecompressionEnabled = true
    /// Whether the pipeline makes previews of pictures while they are downloaded, if their format allows it. Off by
    /// default, because previews take additional processor time.
    public var isProgressiveDecodingEnabled = false
    /// Makes the bytes of a picture from the bytes of its source: decrypts them, for example, or takes them out of a
    /// container. Called on the decoding threads for sources on the web, files and data, but not for fetchers, which can do
    /// it themselves. Requests that share a download share one call, with the first of them. `data(for:)` returns its
    /// result. If it throws, the request fails. `nil` by default.
    ///
    /// Originals are stored on disk before this transformation, which runs again when they are read. Renditions contain
    /// the result: to store only encrypted bytes, set `caching.storagePolicy` to `.originalData`. No previews are made.
    public var dataTransformation: (@Sendable (Data, ImageRequest) throws -> Data)?

    /// Makes the decoder of previews.
    var makeProgressiveDecoder: (@Sendable (CodecRegistry, Resize?) -> any ProgressiveDecoding)? = {
      IncrementalDecoder(codecs: $0, resize: $1)
    }

    init() {}
  }
}
