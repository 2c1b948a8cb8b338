import Foundation
import Testing

@testable import Ozu

#if os(Linux)
  @Suite("The folder of the disk cache")
  struct DiskStorageTests {
    @Test(
      "is in the cache folder that the variables name, if they name one",
      arguments: [
        (["XDG_CACHE_HOME": "/x", "HOME": "/h"], "/x"), (["HOME": "/h"], "/h/.cache"),
        (["XDG_CACHE_HOME": "", "HOME": "/h"], "/h/.cache"),
        (["XDG_CACHE_HOME": "x", "HOME": "/h"], "/h/.cache"),
      ] as [([String: String], String)])
    func named(_ environment: [String: String], _ folder: String) {
      #expect(DiskStorage.cacheFolder(of: environment, in: "/nowhere") == folder)
    }

    @Test(
      "is a private one in the temporary folder otherwise",
      arguments: [[:], ["HOME": ""], ["HOME": "relative/path"], ["XDG_CACHE_HOME": "x"]] as [[String: String]]
    )
    func temporary(_ environment: [String: String]) throws {
      let base = try TemporaryFolder()
      defer { base.remove() }
      for _ in 0..<2 {
        let folder = DiskStorage.cacheFolder(of: environment, in: base.path)
        #expect(folder == "\(base.path)/ozu-\(geteuid())")
        #expect(try mode(folder) == 0o700)
      }
    }

    /// An object that somebody else put there before.
    enum Trap: CaseIterable { case link, file, open }

    @Test("is never one that others can enter or have chosen", arguments: Trap.allCases)
    func trap(_ trap: Trap) throws {
      let base = try TemporaryFolder()
      defer { base.remove() }
      let name = "\(base.path)/ozu-\(geteuid())"
      switch trap {
      case .link: #expect(symlink("/var", name) == 0)
      case .file: #expect(FileManager.default.createFile(atPath: name, contents: nil))
      case .open: #expect(mkdir(name, 0o700) == 0 && chmod(name, 0o777) == 0)
      }
      let folder = DiskStorage.cacheFolder(of: [:], in: base.path)
      #expect(folder != name && folder.hasPrefix(base.path + "/ozu-"))
      #expect(try mode(folder) == 0o700)
      #expect(DiskStorage.cacheFolder(of: [:], in: base.path) == folder)
    }

    private func mode(_ path: String) throws -> mode_t {
      var status = stat()
      try #require(lstat(path, &status) == 0 && status.st_mode & S_IFMT == S_IFDIR)
      return status.st_mode & 0o777
    }

    private struct TemporaryFolder {
      let path = NSTemporaryDirectory() + "ozu-storage-\(UUID())"

      init() throws {
        try FileManager.default.createDirectory(atPath: path, withIntermediateDirectories: true)
      }

      func remove() { try? FileManager.default.removeItem(atPath: path) }
    }
  }
#endif
