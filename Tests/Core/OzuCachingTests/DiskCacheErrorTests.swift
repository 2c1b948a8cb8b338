import OzuBase
import OzuTesting
import Testing

@testable import OzuCaching

@Suite("The messages of the disk cache's errors")
struct DiskCacheErrorTests {
  @Test(
    "an error is one line: the operation, the path, and why it failed",
    arguments: [
      (.open, EMFILE, "open /cache/x: \(systemMessage(EMFILE))"),
      (.open, ENXIO, "open /cache/x: it is a pipe, a socket or a device"),
      (.open, ELOOP, "open /cache/x: it is a symbolic link"),
      (.lock, EROFS, "/cache can be read, not written: \(systemMessage(EROFS))"),
      (.lock, EACCES, "/cache can be read, not written: \(systemMessage(EACCES))"),
      (.lock, EIO, "lock /cache/x: \(systemMessage(EIO))"),
      (.write, ENOSPC, "no space left on /cache/x"),
      (.write, EDQUOT, "no disk quota left on /cache/x"),
      (.change, EBUSY, "change /cache/x: another cache, here or in another process, writes to it"),
      (.change, EROFS, "change /cache/x: it was opened to be read only"),
      (.change, EBADF, "change /cache/x: it is closed"),
      (
        .useOpenDirectory, EPERM,
        "use a directory that everybody may write to /cache/x: \(systemMessage(EPERM))"
      ),
    ] as [(DiskCacheError.Operation, Int32, String)])
  func descriptions(operation: DiskCacheError.Operation, code: Int32, text: String) {
    let error = DiskCacheError(operation, path: "/cache/x", code: code)
    #expect("\(error)" == text)
    #expect((error as any Error).localizedDescription == text)
  }

  @Test("an error is one line for every name of the directory")
  func oneLine() {
    let error = DiskCacheError(.open, path: "/a\nb\u{7}\u{2028}c", code: EIO)
    #expect("\(error)" == "open /a\\u000ab\\u0007\\u2028c: \(systemMessage(EIO))")
  }

  @Test("the error of a full disk states the needed bytes", arguments: [ENOSPC, EDQUOT])
  func fullDisk(code: Int32) throws {
    let fixture = Fixture()
    let cache = try fixture.open()
    fixture.files.respond = {
      $0.operation == .write && $0.path.hasSuffix(".segment") && $0.byteCount > 5000 ? .fail(code) : .proceed
    }
    #expect(!cache.store(body(1, count: 12_000), forKey: key(1)))
    let what = code == ENOSPC ? "space" : "disk quota"
    let text = try #require(fixture.errors.all.first).description
    #expect(text.hasPrefix("no \(what) left on /cache/"))
    #expect(text.hasSuffix(".segment (needs 12.1 KB)"))
  }
}
