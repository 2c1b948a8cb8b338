import Foundation
import Ozu
import OzuBase

/// The bytes of standard input, as a source.
enum StandardInput {
  // A queue of its own, because reading may block for long while results are written.
  private static let queue = DispatchQueue(label: "ozu.cli.input")

  /// Reads all of it.
  ///
  /// - Parameter limit: the most bytes to accept.
  static func read(limit: Int) async throws(ImageError) -> Data {
    let outcome = await withCheckedContinuation { continuation in
      queue.async { continuation.resume(returning: readAll(limit: limit)) }
    }
    return try outcome.get()
  }

  private static func readAll(limit: Int) -> Result<Data, ImageError> {
    var data = Data()
    var buffer = [UInt8](repeating: 0, count: 1 << 16)
    while true {
      let count = buffer.withUnsafeMutableBytes {
        Foundation.read(STDIN_FILENO, $0.baseAddress, $0.count)
      }
      if count < 0 && errno == EINTR { continue }
      if count < 0 { return .failure(.unreadableFile(SourceArgument.standardInput, code: errno)) }
      if count == 0 { return .success(data) }
      guard data.count + count <= limit else {
        return .failure(.bodyTooLarge(SourceArgument.standardInput, limit: limit))
      }
      data.append(contentsOf: buffer[..<count])
    }
  }
}
