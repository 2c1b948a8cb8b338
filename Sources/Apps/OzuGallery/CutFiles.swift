#if GTK
  import Ozu

  /// Shows what is there of a file that is cut off, in place of an error.
  ///
  /// The whole is asked for first: a request that is content with a part is not derived from larger pictures.
  struct CutFiles: ImageInterceptor {
    func intercept(
      _ request: ImageRequest, next: ImageLoadChain<ImageResponse>
    ) async throws(ImageError) -> ImageResponse {
      do throws(ImageError) {
        return try await next.load(request)
      } catch {
        guard error.kind == .truncatedData, !request.allowsTruncation else { throw error }
        return try await next.load(request.with { $0.allowsTruncation = true })
      }
    }
  }
#endif
