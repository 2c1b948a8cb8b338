import Foundation
import OzuHTTP

/// Requests made in one expression.
///
/// ```swift
/// let avatar = ImageRequest("https://example.com/a.jpg")
///   .resized(to: PixelSize(width: 96, height: 96), mode: .aspectFill)
///   .processed(by: .circle())
///   .with { $0.priority = .high }
/// ```
extension ImageRequest {
  /// The same request with changes.
  public func with(_ change: (inout ImageRequest) -> Void) -> ImageRequest {
    var request = self
    change(&request)
    return request
  }

  /// The same request for the picture at a size, in place of the size it asked for.
  ///
  /// - Parameters:
  ///   - size: in pixels of the upright picture.
  ///   - mode: how the picture is brought to the size; inside it by default.
  ///   - crops: whether `aspectFill` cuts off the parts outside the size, so that the picture has exactly the size; on by default.
  ///   - allowsUpscaling: whether a smaller picture is enlarged.
  public func resized(
    to size: PixelSize, mode: ScaleMode = .aspectFit, crops: Bool = true, allowsUpscaling: Bool = false
  ) -> ImageRequest {
    with { $0.resize = Resize(size, mode: mode, crops: crops, allowsUpscaling: allowsUpscaling) }
  }

  /// The same request with further steps after its own.
  public func processed(by processors: any ImageProcessing...) -> ImageRequest {
    with { $0.processors += processors }
  }

  /// Makes a request for a web address with header fields of its own.
  public init(_ request: ImageURLRequest) {
    self.init(.request(request))
  }
}

extension ImageRequest: ExpressibleByStringLiteral {
  /// Makes a request for a URL: web, file or `data:`, read by `URL(webAddress:)`. If the text is not a URL, the load
  /// fails with `ImageError.invalidSource`.
  public init(stringLiteral address: String) {
    self.init(URL(webAddress: address).map(ImageSource.url) ?? .fetcher(InvalidAddress(key: address)))
  }
}

extension ImageRequest {
  /// Whether memory may answer.
  var readsMemory: Bool { cachePolicy.readsCaches && readLayers.contains(.memory) }
  /// Whether renditions in the stores may answer.
  var readsRenditions: Bool { cachePolicy.readsCaches && readLayers.contains(.renditions) }
  /// Whether originals in the stores may answer.
  var readsOriginals: Bool { cachePolicy.readsCaches && readLayers.contains(.originals) }
  /// Whether the result is put into memory.
  var writesMemory: Bool { cachePolicy.writesCaches && writeLayers.contains(.memory) }
  /// The mode of the HTTP cache, whose storage is the stores.
  var httpMode: HTTPCacheMode {
    switch cachePolicy {
    case .useCaches where !readLayers.contains(.originals): writesOriginals ? .reload : .noStore
    case .reload where !writesOriginals: .noStore
    default: cachePolicy.httpMode
    }
  }

  /// Whether the result is written to the stores.
  var writesRenditions: Bool { cachePolicy.writesCaches && writeLayers.contains(.renditions) }
  /// Whether the original is written to the stores.
  var writesOriginals: Bool { cachePolicy.writesCaches && writeLayers.contains(.originals) }
}
