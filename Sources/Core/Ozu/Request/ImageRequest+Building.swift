import OzuBase
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

  /// The same request for the picture at a size, in place of the size it asked for. Its region, its kernel and what else a resize has
  /// stay.
  ///
  /// - Parameters:
  ///   - size: in pixels of the upright picture.
  ///   - mode: how the picture is brought to the size; inside it by default.
  ///   - crops: whether `aspectFill` cuts off the parts outside the size, so that the picture has exactly the size; on by default.
  ///   - allowsUpscaling: whether a smaller picture is enlarged.
  public func resized(
    to size: PixelSize, mode: ScaleMode = .aspectFit, crops: Bool = true, allowsUpscaling: Bool = false
  ) -> ImageRequest {
    with { request in
      var resize = request.resize ?? Resize(size)
      (resize.size, resize.sidesOfSmall, resize.mode) = (size, nil, mode)
      (resize.crops, resize.allowsUpscaling) = (crops, allowsUpscaling)
      request.resize = resize
    }
  }

  /// The same request for the picture at most this wide, with the height that follows from its proportions.
  public func resized(width: Int, allowsUpscaling: Bool = false) -> ImageRequest {
    resized(to: Resize(width: width).size, allowsUpscaling: allowsUpscaling)
  }

  /// The same request for the picture at most this high, with the width that follows from its proportions.
  public func resized(height: Int, allowsUpscaling: Bool = false) -> ImageRequest {
    resized(to: Resize(height: height).size, allowsUpscaling: allowsUpscaling)
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

extension ImageRequest {
  /// Makes a request for a canvas: a card, a badge, a label.
  ///
  /// ```swift
  /// let card = Canvas(size: PixelSize(width: 1200, height: 630), background: .linear(angle: 135, [.black, .white]))
  /// let file = try await ImagePipeline.shared.encoded(for: ImageRequest(canvas: card), as: .png)
  /// ```
  ///
  /// It is a request like any other: it can be resized, processed, encoded and prefetched, its pictures are cached in memory
  /// and on disk, and equal requests are drawn once. Its identity is `Canvas.identifier`.
  ///
  /// The pictures of the canvas are loaded by the pipeline that answers the request, at the sizes in which they are shown. Their sources are web addresses,
  /// `data:` addresses, paths that begin with `/`, and what `sources` of the pipeline reads. A pipeline for addresses of others
  /// refuses the same sources here. The result is fresh as long as all of its pictures from the web are, and is not stored
  /// if one of them must not be; a picture of a file or of a fetcher that changes under its name is not noticed. They have the cache
  /// policy of the request: `.reload` loads them again.
  ///
  /// Errors of the canvas are of the kind `limitExceeded`, or of `fetchFailed` with a `CanvasError`. Errors of its pictures name
  /// their sources.
  ///
  public init(
    canvas: Canvas, resize: Resize? = nil, processors: [any ImageProcessing] = [],
    priority: ImagePriority = .normal
  ) {
    let identifier = canvas.identifier
    self.init(
      .fetcher(CanvasFetcher(canvas, identifier: identifier)), resize: resize, processors: processors,
      priority: priority, cacheKey: identifier)
  }
}

extension ImageRequest: ExpressibleByStringLiteral {
  /// Makes a request for a URL: web, file or `data:`, read by `URL(webAddress:)`. If the text is not a URL, the load
  /// fails with `ImageError.invalidSource`.
  public init(stringLiteral address: String) {
    self.init(URL(webAddress: address).map(ImageSource.url) ?? .fetcher(InvalidAddress(key: address)))
  }
}

/// Requests for keys, without sources.
extension ImageRequest {
  /// Makes the request of a URL whose picture is kept under a key. Without a URL the request asks only the caches: if it
  /// started a load, that load would fail, and with it other requests of the key that joined it.
  package init(
    url: URL?, key: String?, processors: [any ImageProcessing] = [], priority: ImagePriority = .normal,
    format: CacheFormat? = nil
  ) {
    let source: ImageSource = url.map(ImageSource.url) ?? .fetcher(AbsentFetcher(key: key ?? ""))
    self.init(
      source, processors: processors, priority: priority, cachePolicy: url == nil ? .cacheOnly : .useCaches,
      cacheKey: key == url?.absoluteString ? nil : key, format: format)
  }

  /// Makes the most likely request for a key: that of the URL or file if the key is the text of one, else that of a fetcher.
  init(key: String, format: CacheFormat?) {
    if key.hasPrefix("/") {
      self.init(.url(URL(filePath: key)), format: format)
    } else if let url = URL(string: key), let scheme = url.scheme?.lowercased(),
      ["http", "https", "file"].contains(scheme), url.absoluteString == key
    {
      self.init(.url(url), format: format)
    } else {
      self.init(.fetcher(AbsentFetcher(key: key)), format: format)
    }
  }

  /// All requests that a key may stand for, that of a URL or file first. They ask only the caches.
  static func requests(forKey key: String, format: CacheFormat?) -> [ImageRequest] {
    let first = ImageRequest(key: key, format: format)
    let absent = ImageRequest(.fetcher(AbsentFetcher(key: key)), format: format)
    var all = [first]
    if case .url = first.source {
      all.append(absent)
    } else if let url = URL(string: key), let scheme = url.scheme, url.absoluteString == key,
      // What begins with the mark of another kind is a name, and no address.
      !scheme.hasSuffix("key")
    {
      // An address that only a source of the app reads.
      all.append(absent.known(as: key))
    }
    all.append(ImageRequest(.data(Data(), key: key), format: format))
    all.append(absent.known(as: ImageSource.pictureKey(key)))
    return all.map { request in
      var request = request
      request.cachePolicy = .cacheOnly
      return request
    }
  }

  /// Whether the caches know it by another identity than that of its source, so that they alone are to be read.
  var isKnownOtherwise: Bool { !hasOwnKey && sourceKey != source.key }

  /// The same request for what the caches have under the identity of a source of another kind.
  private func known(as sourceKey: String) -> ImageRequest {
    var request = self
    request.changeRecipe { $0.sourceKey = sourceKey }
    return request
  }
}
