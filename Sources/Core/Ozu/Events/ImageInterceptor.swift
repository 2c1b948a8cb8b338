import OzuBase

/// Code of the app that runs around the whole load. It may answer, change the request, or only observe.
///
/// Interceptors run in their order, the first one outermost, before any cache is asked. Each decides whether and with
/// which request the next one runs, and receives its result:
///
/// ```swift
/// /// Asks a second time when the network broke off.
/// struct SecondTry: ImageInterceptor {
///   func intercept(
///     _ request: ImageRequest, next: ImageLoadChain<ImageResponse>
///   ) async throws(ImageError) -> ImageResponse {
///     do throws(ImageError) {
///       return try await next.load(request)
///     } catch {
///       guard error.kind == .transport else { throw error }
///       return try await next.load(request)
///     }
///   }
/// }
/// ```
///
/// They run around `image(for:)`, `response(for:)`, tasks, callbacks and prefetching to memory. Loads of bytes call
/// `interceptData`, encoded images `interceptEncoded`. The synchronous `cachedImage(for:)` is not intercepted, and neither is
/// a picture in memory that a view shows within the call.
/// Cancelling a request cancels the Swift task in which its interceptors run. A pipeline without interceptors pays
/// one branch.
public protocol ImageInterceptor: Sendable {
  /// Answers a request, normally by calling `next`.
  ///
  /// - Throws: `ImageError`, with which the request fails.
  func intercept(
    _ request: ImageRequest, next: ImageLoadChain<ImageResponse>
  ) async throws(ImageError) -> ImageResponse

  /// Answers a request for bytes: `data(for:)`, and prefetching to disk. Calls `next` by default.
  ///
  /// - Throws: `ImageError`, with which the request fails.
  func interceptData(
    _ request: ImageRequest, next: ImageLoadChain<Data>
  ) async throws(ImageError) -> Data

  /// Answers a request for an encoded image: `encoded(for:as:)`. Calls `next` by default.
  ///
  /// - Throws: `ImageError`, with which the request fails.
  func interceptEncoded(
    _ request: ImageRequest, as format: OutputFormat, next: ImageLoadChain<EncodedImage>
  ) async throws(ImageError) -> EncodedImage
}

extension ImageInterceptor {
  /// Calls `next` with the request.
  public func interceptData(
    _ request: ImageRequest, next: ImageLoadChain<Data>
  ) async throws(ImageError) -> Data {
    try await next.load(request)
  }

  /// Calls `next` with the request.
  public func interceptEncoded(
    _ request: ImageRequest, as format: OutputFormat, next: ImageLoadChain<EncodedImage>
  ) async throws(ImageError) -> EncodedImage {
    try await next.load(request)
  }
}

/// The rest of a load behind an interceptor: the further interceptors, and the pipeline.
public struct ImageLoadChain<Output: Sendable>: Sendable {
  typealias Ask =
    @Sendable (any ImageInterceptor, ImageRequest, ImageLoadChain) async throws(ImageError) -> Output

  private let interceptors: ArraySlice<any ImageInterceptor>
  private let ask: Ask
  private let end: @Sendable (ImageRequest) async throws(ImageError) -> Output

  /// - Parameters:
  ///   - ask: calls an interceptor.
  ///   - end: the load behind the last interceptor.
  init(
    _ interceptors: ArraySlice<any ImageInterceptor>, ask: @escaping Ask,
    load end: @escaping @Sendable (ImageRequest) async throws(ImageError) -> Output
  ) {
    self.interceptors = interceptors
    self.ask = ask
    self.end = end
  }

  /// Continues with the same request or another one. May be called several times, for example to retry.
  ///
  /// - Throws: `ImageError`, from an interceptor behind this one or from the load.
  public func load(_ request: ImageRequest) async throws(ImageError) -> Output {
    guard let first = interceptors.first else { return try await end(request) }
    return try await ask(first, request, ImageLoadChain(interceptors.dropFirst(), ask: ask, load: end))
  }
}

extension Result where Failure == ImageError {
  init(_ work: () async throws(ImageError) -> Success) async {
    do throws(ImageError) {
      self = .success(try await work())
    } catch {
      self = .failure(error)
    }
  }
}

extension ImageResponse {
  /// Makes a response without loading; for interceptors.
  ///
  /// - Parameter source: the source to state; `original` by default.
  public init(_ picture: Picture, for request: ImageRequest, source: Source = .original) {
    self.init(
      picture: picture, request: request, source: source, isCoalesced: false, encodedByteCount: 0,
      timings: StageTimings(), verdict: .none)
  }
}
