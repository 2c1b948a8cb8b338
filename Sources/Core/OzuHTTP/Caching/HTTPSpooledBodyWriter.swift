#if canImport(FoundationEssentials)
  import FoundationEssentials
#else
  import Foundation
#endif

/// The file of a body, or the memory that replaces it.
///
/// Unchecked Sendable: `append` runs only on the spool's thread, and `take` runs after the last append; the lock of
/// `HTTPSpooledBody` orders them.
final class HTTPSpooledBodyWriter: @unchecked Sendable {
  private let spool: HTTPBodySpool
  private var file: HTTPSpoolFile?
  /// The body in memory, if it could not be written to a file.
  private var memory: Data?
  private var identity = HTTPBodyIdentity()
  private var failure: HTTPSpoolFile.Failure?

  init(spool: HTTPBodySpool) { self.spool = spool }

  deinit {
    closeFile()
  }

  func append(_ piece: Data, keeping: HTTPSpooledBody.Keeping?) {
    guard failure == nil else { return }
    piece.withUnsafeBytes { identity.update($0) }
    if memory == nil, file == nil {
      file = spool.open(keeping?.beginning())
      if file == nil { memory = Data() }
    }
    if let file {
      do throws(HTTPSpoolFile.Failure) {
        try file.append(piece)
        return file.checkpoint(identity.text)
      } catch {
        // The disk is full or failed. The bytes in the file are read back.
        takeBack(file)
      }
    }
    memory?.append(piece)
  }

  private func takeBack(_ file: HTTPSpoolFile) {
    do throws(HTTPSpoolFile.Failure) {
      memory = try file.read()
    } catch {
      failure = error
    }
    closeFile()
  }

  func take() throws(HTTPError) -> HTTPSpooledBody.Content {
    defer {
      closeFile()
      memory = nil
    }
    if let failure { throw Self.error(failure) }
    guard memory == nil, let file else {
      return HTTPSpooledBody.Content(data: memory ?? Data(), identity: identity.text)
    }
    do throws(HTTPSpoolFile.Failure) {
      return HTTPSpooledBody.Content(data: try file.mapped(), identity: identity.text)
    } catch {
      throw Self.error(error)
    }
  }

  private static func error(_ failure: HTTPSpoolFile.Failure) -> HTTPError {
    HTTPError(.other(code: Int(failure.code), message: "the file that holds the body cannot be read"))
  }

  private func closeFile() {
    guard file != nil else { return }
    file = nil
    spool.noteClosed()
  }
}
