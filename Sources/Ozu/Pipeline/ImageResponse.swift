/// A finished request: the picture and where it came from.
public struct ImageResponse: Sendable {
  /// The cheapest place that had the answer.
  public enum Source: String, Hashable, Sendable, CaseIterable {
    /// The memory cache; answered synchronously.
    case memory
    /// The finished rendition in the disk cache.
    case rendition = "disk-rendition"
    /// The original's bytes without the network: from the disk cache, a local file, or given with the request.
    case original = "disk-original"
    /// The network, or a fetcher of the app.
    case network
  }

  /// The picture.
  public let picture: Picture
  /// The request that is answered.
  public let request: ImageRequest
  /// Where the answer came from.
  public let source: Source
  /// Whether the work was shared with an equal request that was there before.
  public let isCoalesced: Bool
  /// The bytes of the encoded file the picture was decoded from: the original's, or the rendition's. 0 from
  /// memory.
  public let encodedByteCount: Int
  /// How long each stage took; shared work counts once, as the work measured it.
  public let timings: StageTimings
}
