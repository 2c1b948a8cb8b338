import Foundation

/// Code of your own around the whole load: it may answer, change the request, or watch.
///
/// Interceptors are asked in their order, the first outermost, before any cache is. Each decides whether and with
/// what the next goes on, and sees what comes back:
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
/// They surround `image(for:)`, `response(for:)`, tasks, callbacks and prefetching to memory alike; loads of bytes come
/// to `interceptData`, encoded images to `interceptEncoded`. The synchronous `cachedImage(for:)` is not intercepted. Cancelling a request cancels the Swift
/// task in which its interceptors run. A pipeline without interceptors pays one branch.
public protocol ImageInterceptor: Sendable {
  /// Answers a request, mostly through `next`.
  ///
  /// - Throws: `ImageError`; it is what the request fails with.
  func intercept(
    _ request: ImageRequest, next: ImageLoadChain<ImageResponse>
  ) async throws(ImageError) -> ImageResponse

  /// Answers a request of bytes: `data(for:)`, and prefetching to disk. By default the next does.
  ///
  /// - Throws: `ImageError`; it is what the request fails with.
  func interceptData(
    _ request: ImageRequest, next: ImageLoadChain<Data>
  ) async throws(ImageError) -> Data

  /// Answers a request of an encoded image: `encoded(for:as:)`. By default the next does.
  ///
  /// - Throws: `ImageError`; it is what the request fails with.
  func interceptEncoded(
    _ request: ImageRequest, as format: OutputFormat, next: ImageLoadChain<EncodedImage>
  ) async throws(ImageError) -> EncodedImage
}

extension ImageInterceptor {
  /// Leaves the request to the next.
  public func interceptData(
    _ request: ImageRequest, next: ImageLoadChain<Data>
  ) async throws(ImageError) -> Data {
    try await next.load(request)
  }

  /// Leaves the request to the next.
  public func interceptEncoded(
    _ request: ImageRequest, as format: OutputFormat, next: ImageLoadChain<EncodedImage>
  ) async throws(ImageError) -> EncodedImage {
    try await next.load(request)
  }
}

/// What an interceptor stands before: the interceptors behind it, and the pipeline.
public struct ImageLoadChain<Output: Sendable>: Sendable {
  typealias Link =
    @Sendable (any ImageInterceptor, ImageRequest, ImageLoadChain) async -> Result<
      Output, ImageError
    >

  private let interceptors: ArraySlice<any ImageInterceptor>
  private let link: Link
  private let end: @Sendable (ImageRequest) async -> Result<Output, ImageError>

  /// - Parameters:
  ///   - link: how an interceptor is asked.
  ///   - end: what comes after the last.
  init(
    _ interceptors: ArraySlice<any ImageInterceptor>, link: @escaping Link,
    end: @escaping @Sendable (ImageRequest) async -> Result<Output, ImageError>
  ) {
    self.interceptors = interceptors
    self.link = link
    self.end = end
  }

  /// Goes on with a request, the same or another. May be called several times, for example to try again.
  ///
  /// - Throws: `ImageError`, from an interceptor behind this one or from the load.
  public func load(_ request: ImageRequest) async throws(ImageError) -> Output {
    guard let first = interceptors.first else { return try await end(request).get() }
    let rest = ImageLoadChain(interceptors.dropFirst(), link: link, end: end)
    return try await link(first, request, rest).get()
  }
}

extension ImageLoadChain {
  /// The chain of a pipeline's interceptors around its work.
  ///
  /// - Parameters:
  ///   - ask: how an interceptor is asked.
  ///   - load: what comes after the last.
  init(
    _ interceptors: [any ImageInterceptor],
    ask: @escaping @Sendable (any ImageInterceptor, ImageRequest, Self) async throws(ImageError) -> Output,
    load: @escaping @Sendable (ImageRequest) async throws(ImageError) -> Output
  ) {
    self.init(
      interceptors[...],
      link: { interceptor, request, rest in
        await Result { () async throws(ImageError) in try await ask(interceptor, request, rest) }
      },
      end: { request in await Result { () async throws(ImageError) in try await load(request) } })
  }
}

extension Result where Failure == ImageError {
  /// What work that suspends comes to.
  init(_ work: () async throws(ImageError) -> Success) async {
    do throws(ImageError) {
      self = .success(try await work())
    } catch {
      self = .failure(error)
    }
  }
}
