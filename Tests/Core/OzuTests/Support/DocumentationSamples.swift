import Foundation
import Ozu
import OzuHTTP
import OzuTesting

// The types of the samples, copied from the articles.

/// Red, green and blue in steps of 256 ÷ levels.
struct Posterize: ImageProcessing, Encodable {
  let levels: Int

  func process(
    _ bitmap: BGRABitmap, context: ProcessingContext
  ) throws(ProcessingError) -> BGRABitmap {
    guard (2...256).contains(levels) else {
      throw .invalidParameters(identifier, reason: "2 to 256 levels are possible")
    }
    let step = 256 / levels
    func coarse(_ value: UInt8, _ alpha: UInt8) -> UInt8 { min(alpha, UInt8(Int(value) / step * step)) }
    return bitmap.map(pool: context.pool) { pixel in
      Pixel(
        red: coarse(pixel.red, pixel.alpha), green: coarse(pixel.green, pixel.alpha),
        blue: coarse(pixel.blue, pixel.alpha), alpha: pixel.alpha)
    }
  }
}

struct SlowLoads: ImagePipelineObserving {
  let report: @Sendable (String) -> Void

  func requestEnded(_ request: ObservedRequest, _ outcome: RequestOutcome, after time: Duration) {
    if time > .seconds(1) { report(request.request.source.name) }
  }
}

/// Gives a grey square for addresses that the app uses where there is no picture.
struct Placeholders: ImageInterceptor {
  let square: Picture

  func intercept(
    _ request: ImageRequest, next: ImageLoadChain<ImageResponse>
  ) async throws(ImageError) -> ImageResponse {
    guard request.source.name.hasSuffix("/none") else { return try await next.load(request) }
    return ImageResponse(square, for: request)
  }
}

/// Asks for the small variant while the connection is metered.
struct DataSaver: ImageInterceptor {
  let isMetered: @Sendable () -> Bool

  func intercept(
    _ request: ImageRequest, next: ImageLoadChain<ImageResponse>
  ) async throws(ImageError) -> ImageResponse {
    guard isMetered(), case .url(let url) = request.source else { return try await next.load(request) }
    let small = url.appending(queryItems: [URLQueryItem(name: "size", value: "small")])
    return try await next.load(
      ImageRequest(url: small, resize: request.resize, processors: request.processors))
  }
}

/// Asks a second time when the network broke off.
struct SecondTry: ImageInterceptor {
  func intercept(
    _ request: ImageRequest, next: ImageLoadChain<ImageResponse>
  ) async throws(ImageError) -> ImageResponse {
    do throws(ImageError) {
      return try await next.load(request)
    } catch {
      guard error.kind == .transport else { throw error }
      return try await next.load(request)
    }
  }
}

/// Brings the assets of the sample.
struct AssetFetcher: ImageFetching {
  let name: String
  var key: String { name }

  func fetch() async throws -> FetchedImage { .picture(.color(.white)) }
}

/// The tokens of an app.
actor Tokens {
  func current() async throws -> String { "1" }
}

/// Signs with a token that may have to be fetched first.
struct TokenSigner: HTTPRequestPreparing {
  let tokens: Tokens

  func willSend(_ request: HTTPRequest) async throws -> HTTPRequest {
    var signed = request
    signed.headers["Authorization"] = "Bearer \(try await tokens.current())"
    return signed
  }
}

/// A folder that programs or machines share, as a level of storage: a file for each entry, in a folder for each kind.
struct SharedFolder: ImageStoring {
  let folder: URL

  private func folder(of kind: ImageStoreKind) -> URL { folder.appending(path: kind.identifier) }

  private func file(_ key: ImageStoreKey) -> URL { folder(of: key.kind).appending(path: key.identifier) }

  func read(_ key: ImageStoreKey) throws -> ImageStoreEntry? {
    guard let file = try contents(of: file(key)), file.count >= 4 else { return nil }
    // Four bytes say how long the metadata is; then come the metadata and the body.
    let length = file.prefix(4).reduce(0) { $0 << 8 | Int($1) }
    guard file.count >= 4 + length else { return nil }
    return ImageStoreEntry(metadata: file.dropFirst(4).prefix(length), body: file.dropFirst(4 + length))
  }

  func write(_ entry: ImageStoreEntry, for key: ImageStoreKey) throws {
    var file = Data((0..<4).map { UInt8(truncatingIfNeeded: entry.metadata.count >> (24 - 8 * $0)) })
    file.append(entry.metadata)
    file.append(entry.body)
    try FileManager.default.createDirectory(at: folder(of: key.kind), withIntermediateDirectories: true)
    // Written beside its place and renamed, so that others read the former file or the new one, but no part of it.
    try file.write(to: self.file(key), options: .atomic)
  }

  func contains(_ key: ImageStoreKey) -> Bool {
    FileManager.default.fileExists(atPath: file(key).path(percentEncoded: false))
  }

  func remove(_ key: ImageStoreKey) throws { try remove(file(key)) }

  func removeAll(of kind: ImageStoreKind) throws { try remove(folder(of: kind)) }

  func removeAll() throws { try remove(folder) }

  private func contents(of file: URL) throws -> Data? {
    do {
      return try Data(contentsOf: file)
    } catch let error as CocoaError where error.isAbsence {
      return nil
    }
  }

  private func remove(_ item: URL) throws {
    do {
      try FileManager.default.removeItem(at: item)
    } catch let error as CocoaError where error.isAbsence {}
  }
}

extension CocoaError {
  /// Whether there is no such file.
  fileprivate var isAbsence: Bool { code == .fileReadNoSuchFile || code == .fileNoSuchFile }
}
