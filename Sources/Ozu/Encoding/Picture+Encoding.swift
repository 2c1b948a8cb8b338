import Foundation

extension Picture {
  /// A file of the picture, made on the decoding threads of a pipeline.
  ///
  /// ```swift
  /// try await picture.encoded(as: .png).write(to: file)
  /// ```
  ///
  /// - Throws: `EncodingError`.
  public func encoded(
    as type: ImageType, options: EncodingOptions = EncodingOptions(), by pipeline: ImagePipeline = .shared
  ) async throws(EncodingError) -> Data {
    try await pipeline.encode(self, as: type, options: options)
  }
}
