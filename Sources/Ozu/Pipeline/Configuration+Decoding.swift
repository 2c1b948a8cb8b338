import Foundation
import OzuStandardCodecs

extension ImagePipeline.Configuration {
  /// From bytes to pixels: the codecs, what a file may cost, and where it is decoded.
  public struct Decoding: Sendable {
    /// The decoders and encoders.
    public var codecs = CodecRegistry.standard
    /// Whether files are decoded in processes of their own, so that one that crashes its decoder costs one picture. Off by
    /// default. The decoders of `codecs` that are built in work there then; those of the app do not.
    public var isolation = DecoderIsolation.off
    /// What one picture may cost. Its `encodedByteCount` also bounds downloads, while they stream.
    public var limits = DecodingLimits.default
    /// How many pictures are decoded at once. By default one for each core.
    public var concurrentDecodes = ProcessInfo.processInfo.activeProcessorCount
    /// The memory that all pictures together may take while they are decoded; a decode without room waits. That of the
    /// process by default.
    public var decodedByteBudget = DecodedByteBudget.shared
    /// Where pixel memory comes from.
    public var pixelBufferPool = PixelBufferPool.shared
    /// Whether pictures are decoded before they are handed over, on the pipeline's own threads. On by default. Off, a
    /// whole picture comes with its header read and its limits checked, and is decoded when its pixels are first read, on
    /// the thread that reads them. That saves work for an app that mostly wants sizes and metadata, or shows little of what
    /// it loads. A picture that is resized or processed is decoded in any case. See `Picture.isDecoded` and
    /// `Picture.decode()`.
    public var isDecompressionEnabled = true
    /// Whether previews are made of pictures while they are downloaded, where their format allows it. Off by default: it
    /// takes processor time that the finished picture does not need.
    public var isProgressiveDecodingEnabled = false
    /// Makes the bytes of a picture from those of its source, before anything reads them: decrypts them, or takes them out
    /// of a container. Called on the decoding threads, for what comes from the web, files and data; not for fetchers,
    /// which can do it themselves; for requests that share a download, with the first of them. `data(for:)` gives what it
    /// returns, an error fails the request. `nil` by default.
    ///
    /// Originals are kept on disk as they came, and transformed again when they are read. Renditions are made of the
    /// result: to keep nothing but encrypted bytes, set `caching.storagePolicy` to `.originalData`. No previews are made.
    public var dataTransformation: (@Sendable (Data, ImageRequest) throws -> Data)?

    /// Makes the decoder of previews.
    var makeProgressiveDecoder: (@Sendable (CodecRegistry, Resize?) -> any ProgressiveDecoding)? = {
      IncrementalDecoder(codecs: $0, resize: $1)
    }

    init() {}
  }
}
