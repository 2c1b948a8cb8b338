import Dispatch
import OzuBase
import OzuHTTP

/// The bytes of an address or a file without a pipeline: for fetchers of `OzuMigration`, which can be asked on their own.
extension ImageSource {
  // A read waits for a disk, and no thread of Swift's own may wait.
  private static let queue = DispatchQueue(label: "ozu.file-contents")

  /// Downloads a picture.
  ///
  /// - Parameter client: what makes the exchange; `nil` for the client that pipelines have by default.
  /// - Throws: `ImageError`.
  package static func contents(
    of url: URL, client: (any HTTPClient)?, limits: DecodingLimits
  ) async throws -> Data {
    let name = ImageSource.url(url).name
    guard case .network(let url) = try ImageSource.url(url).access() else {
      throw ImageError.invalidSource(name, reason: "this is not a web address")
    }
    let request = HTTPRequest(
      url: url, headers: ["Accept": ImageAcceptance.decodable.text(for: .standard)],
      maximumBodyByteCount: limits.encodedByteCount)
    let response: HTTPResponse
    let body: Data
    do throws(HTTPError) {
      (body, response) = try await (client ?? DefaultHTTPClient.shared).data(for: request)
    } catch {
      throw ImageError(error, source: name)
    }
    guard (200..<300).contains(response.head.status) else {
      throw ImageError.httpStatus(response.head.status, source: name)
    }
    return try body.checkedImage(name)
  }

  /// Reads a picture from a file.
  ///
  /// - Throws: `ImageError`.
  package static func contents(ofFile path: String) async throws -> Data {
    let outcome = await withCheckedContinuation { continuation in
      queue.async {
        continuation.resume(
          returning: Result { () throws(ImageError) in
            try FileReader.read(path, limit: DecodingLimits.default.encodedByteCount).data
          })
      }
    }
    return try outcome.get().checkedImage(path)
  }
}

extension Data {
  /// The same bytes, if they begin as a picture does.
  ///
  /// - Throws: `ImageError.emptyData` or `notAnImage`.
  func checkedImage(_ name: String) throws(ImageError) -> Data {
    switch ContentKind(sniffing: self) {
    case .image: return self
    case .empty: throw .emptyData(name)
    case .other(let kind): throw .notAnImage(name, kind: kind)
    case .unknown: throw .notAnImage(name, kind: nil)
    }
  }
}
