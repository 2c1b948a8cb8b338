import Foundation
import Ozu
import OzuTesting
import Testing

@testable import OzuCLI

@Suite struct InfoCommandTests {
  @Test("type, size, alpha and frames, as a line and as JSON")
  func info() async throws {
    let folder = try Folder()
    let path = try folder.write(
      PatternPicture(PixelSize(31, 17), isOpaque: false).data(as: .png), to: "a.png")
    let cache = folder.path("cache")
    let text = await CommandRun("info", path, "--cache", cache)
    let bytes = try #require(folder.data("a.png")).count
    #expect(
      text.output
        == "\(path): PNG 31x17, \(Format.bytes(bytes)), rgb, 8 bit, alpha, colour profile none, 1 frame\n")
    let object = try #require(try await CommandRun("info", path, "--json", "--cache", cache).objects.first)
    #expect(object["type"] as? String == "png")
    #expect(object["width"] as? Int == 31)
    #expect(object["bytes"] as? Int == bytes)
    #expect(object["hasAlpha"] as? Bool == true)
    #expect(object["colorProfile"] is NSNull)
    #expect(object["frames"] as? Int == 1)
  }

  @Test("a tree as a table, in lines of one's own form, and checked for damage")
  func tree() async throws {
    let folder = try Folder()
    let data = try PatternPicture(PixelSize(310, 170)).data(as: .jpeg)
    try folder.write(data, to: "a, b.jpg")
    try folder.write(data.prefix(data.count / 2), to: "cut.jpg")
    let arguments = ["info", "-r", folder.path(""), "--no-cache"]
    let table = await CommandRun(arguments + ["--csv"]).output.split(separator: "\n")
    #expect(table.first == "path,name,type,width,height,bytes,frames,date,camera,lens,profile,orientation")
    #expect(table.contains("\"\(folder.path("a, b.jpg"))\",\"a, b.jpg\",jpeg,310,170,\(data.count),1,,,,,1"))
    let lines = await CommandRun(arguments + ["--format", "{name}\t{{{width}x{height}}}{date}"])
    #expect(lines.output == "a, b.jpg\t{310x170}\ncut.jpg\t{310x170}\n")
    // Nothing is left of these; `load -r` and others take them for no pictures.
    try folder.write(Data(count: 4096), to: "zeros.JPG")
    try folder.write(Data(), to: "empty.webp")
    try folder.write(Data("jpg".utf8), to: "jpg")
    #expect(await CommandRun(arguments + ["--csv"]).status == .done)
    let check = await CommandRun(arguments + ["--check"])
    #expect(check.status == .failed && check.output == "4 pictures, 3 damaged\n", "\(check.output)")
    for name in ["cut.jpg: truncated JPEG", "zeros.JPG: ", "empty.webp: "] {
      #expect(check.errors.contains(name), "\(check.errors)")
    }
    #expect(await CommandRun("info", folder.path("a, b.jpg"), "--check", "--no-cache").status == .done)
    #expect(await CommandRun(arguments + ["--format", "{date"]).status == .wrongUsage)
  }

  @Test("a check finds a frame that cannot be decoded, and takes no other note for damage")
  func damage() async throws {
    let folder = try Folder()
    // A PSD of 8 by 8 pixels in four inks, whose note says that no profile describes them.
    let inks = Data("8BPS".utf8) + [0, 1, 0, 0, 0, 0, 0, 0, 0, 4, 0, 0, 0, 8, 0, 0, 0, 8, 0, 8, 0, 4]
    let whole = try folder.write(inks + Data(count: 14 + 4 * 64), to: "inks.psd")
    #expect(await CommandRun("info", whole, "--pixels", "--no-cache").output.contains("\n  note: inks"))
    var animation = try Data(contentsOf: Repository.fixture("matrix/anim.gif"))
    let start = animation.count * 8 / 10
    for place in start..<start + 40 { animation[place] ^= 0x5A }
    let broken = try folder.write(animation, to: "broken.gif")
    let run = await CommandRun("info", whole, broken, "--check", "--no-cache")
    #expect(run.status == .failed && run.errors.isEmpty)
    #expect(run.output.hasPrefix("\(broken): frame 4 of 4 cannot be decoded: corrupt GIF"), "\(run.output)")
    #expect(run.output.hasSuffix("\n2 pictures, 1 damaged\n"), "\(run.output)")
    let refused = await CommandRun("info", whole, "--check", "--max-pixels", "10", "--no-cache")
    #expect(refused.status == .failed && refused.output == "1 picture, 0 damaged, 1 not read\n")
  }

  @Test("a check decodes the file, also one that was damaged after its rendition was made")
  func damageBelowRendition() async throws {
    let folder = try Folder()
    var data = try PatternPicture(PixelSize(320, 240), tint: 3).data(as: .png)
    let path = try folder.write(data, to: "a.png")
    let old = [FileAttributeKey.modificationDate: Date(timeIntervalSince1970: 1_700_000_000)]
    try FileManager.default.setAttributes(old, ofItemAtPath: path)
    let cache = ["--cache", folder.path("cache")]
    for source in ["disk-original", "disk-rendition"] {
      let run = await CommandRun(["load", path, "-s", "100x100", "-v"] + cache)
      #expect(run.output.contains(source), "\(run.output)")
    }
    for place in data.count / 2..<data.count / 2 + 40 { data[place] ^= 0x5A }
    try data.write(to: URL(filePath: path))
    try FileManager.default.setAttributes(old, ofItemAtPath: path)
    let run = await CommandRun(["info", path, "--check"] + cache)
    #expect(run.status == .failed && run.errors.contains("a.png: corrupt PNG"), "\(run.errors)")
  }

  @Test("a file that is no image fails with the reason")
  func failure() async throws {
    let folder = try Folder()
    let path = try folder.write(Data("<html>".utf8), to: "a.jpg")
    let run = await CommandRun("info", path, "--cache", folder.path("cache"))
    #expect(run.status == .failed)
    #expect(run.errors == "ozu: \(path): this is an HTML page, not an image\n")
  }
}

@Suite struct CacheCommandTests {
  /// A cache that holds the original and two renditions of a picture.
  private static func filled() async throws -> (Folder, cache: String) {
    let server = try LoopbackServer()
    defer { server.stop() }
    server.route("/a.jpg", .ok(try PatternPicture(PixelSize(320, 240)).data(as: .jpeg)))
    let folder = try Folder()
    let cache = folder.path("cache")
    for size in ["32x24", "64x48"] {
      let run = await CommandRun(
        "load", server.url("/a.jpg").absoluteString, "--size", size, "--cache", cache)
      #expect(run.status == .done, "\(run.errors)")
    }
    return (folder, cache)
  }

  @Test("stats, list, verify, trim and clear report entries and changes")
  func lifeOfACache() async throws {
    let (folder, cache) = try await Self.filled()
    let stats = try #require(try await CommandRun("cache", "stats", "--json", "--cache", cache).objects.first)
    // The original, two renditions, and the record of these.
    #expect(stats["entries"] as? Int == 4)
    let text = await CommandRun("cache", "stats", "--cache", cache).output
    #expect(text.contains("originals: 1 entry") && text.contains("renditions: 2 entries"))
    #expect(text.contains("variants: 1 entry"))
    let partitions = try #require(stats["partitions"] as? [[String: Any]]).compactMap {
      $0["partition"] as? String
    }
    #expect(partitions.sorted() == ["originals", "renditions", "variants"])

    let list = try await CommandRun("cache", "list", "--json", "--cache", cache).objects
    #expect(list.count == 4)
    #expect(list.contains { $0["partition"] as? String == "variants" })
    #expect(list.allSatisfy { ($0["name"] as? String)?.contains("/a.jpg") == true })
    let verified = try #require(
      try await CommandRun("cache", "verify", "--json", "--cache", cache).objects.first)
    #expect(verified["intact"] as? Int == 4)

    #expect(await CommandRun("cache", "trim", "--to", "0", "--cache", cache).status == .done)
    #expect(try await CommandRun("cache", "list", "--json", "--cache", cache).objects.isEmpty)
    // The beginning of a body, from a process that was killed, is part of the cache.
    try Data("x".utf8).write(to: URL(filePath: "\(cache)/ozu-beginning-1-1-a"))
    #expect(await CommandRun("cache", "clear", "--cache", cache).status == .done)
    #expect(!FileManager.default.fileExists(atPath: "\(cache)/ozu-beginning-1-1-a"))
    withExtendedLifetime(folder) {}
  }

  /// The names of the files in a folder, with their bytes.
  private static func contents(_ folder: String) throws -> [String: Data] {
    let names = try FileManager.default.contentsOfDirectory(atPath: folder)
    return try Dictionary(
      uniqueKeysWithValues: names.map { ($0, try Data(contentsOf: URL(fileURLWithPath: folder + "/" + $0))) })
  }

  @Test("verify finds a damaged entry and fails, and leaves it to the cache to remove it")
  func damage() async throws {
    let (folder, cache) = try await Self.filled()
    let names = try FileManager.default.contentsOfDirectory(atPath: cache)
    let segment = try #require(names.first { $0.hasSuffix(".segment") })
    let file = URL(fileURLWithPath: cache).appending(path: segment)
    var bytes = try Data(contentsOf: file)
    // The entries fill the file from its beginning, so this byte is in a body.
    bytes[bytes.count / 3] ^= 0xFF
    try bytes.write(to: file)
    for _ in 0..<2 {
      let run = await CommandRun("cache", "verify", "--cache", cache)
      #expect(run.status == .failed)
      #expect(run.errors.contains("is damaged"))
      #expect(try Data(contentsOf: file) == bytes)
    }
    withExtendedLifetime(folder) {}
  }

  @Test("a file that cannot be read is named, and is a failure", arguments: ["stats", "list", "verify"])
  func unreadable(_ action: String) async throws {
    let (folder, cache) = try await Self.filled()
    let name = "00000000000000ff-00000000000000ff.segment"
    try FileManager.default.createDirectory(atPath: "\(cache)/\(name)", withIntermediateDirectories: false)
    let run = await CommandRun("cache", action, "--cache", cache)
    #expect(run.status == .failed)
    #expect(run.errors.hasPrefix("ozu cache: open ") && run.errors.contains("/\(name): "))
    withExtendedLifetime(folder) {}
  }

  @Test("stats, list and verify change no file and take no lock", arguments: ["stats", "list", "verify"])
  func changesNothing(_ action: String) async throws {
    let (folder, cache) = try await Self.filled()
    // A writer would make an index, remove the leftover of an editor, and truncate the torn tail.
    try FileManager.default.removeItem(atPath: cache + "/index")
    try Data([1]).write(
      to: URL(fileURLWithPath: cache + "/00000000000000ff-00000000000000ff.segment.part"))
    let before = try Self.contents(cache)
    let writer = try DiskCache(directory: cache)
    let whileOpen = try Self.contents(cache)
    #expect(await CommandRun("cache", action, "--cache", cache).status == .done)
    #expect(try Self.contents(cache) == whileOpen)
    await writer.close()
    for (name, bytes) in before {
      try bytes.write(to: URL(fileURLWithPath: cache + "/" + name))
    }
    try? FileManager.default.removeItem(atPath: cache + "/index")
    #expect(await CommandRun("cache", action, "--cache", cache).status == .done)
    #expect(try Self.contents(cache) == before)
    withExtendedLifetime(folder) {}
  }

  @Test("a folder that is no cache is not changed", arguments: ["stats", "list", "verify", "trim", "clear"])
  func foreignFolder(_ action: String) async throws {
    let folder = try Folder()
    let path = folder.path("")
    for names in [[], ["notes.txt"]] {
      for name in names { try folder.write(Data([1]), to: name) }
      #expect(await CommandRun("cache", action, "--cache", path).status == .done)
      #expect(try folder.names == names)
    }
  }

  @Test("a file is no cache", arguments: ["stats", "list", "verify", "trim", "clear"])
  func file(_ action: String) async throws {
    let folder = try Folder()
    let path = try folder.write(Data([1]), to: "file")
    let run = await CommandRun("cache", action, "--cache", path)
    #expect(run.status == .failed)
    #expect(run.errors == "ozu cache: list \(path): Not a directory\n")
  }

  @Test(
    "trim and clear fail with a message while another program writes",
    arguments: ["trim", "clear"])
  func anotherWrites(_ action: String) async throws {
    let (folder, cache) = try await Self.filled()
    let writer = try DiskCache(directory: cache)
    let run = await CommandRun("cache", action, "--cache", cache, "--json")
    #expect(run.status == .failed)
    #expect(run.output.isEmpty)
    #expect(
      run.errors == "ozu cache: change \(cache): another cache, here or in another process, writes to it\n")
    #expect(writer.count == 4)
    await writer.close()
    #expect(await CommandRun("cache", action, "--cache", cache).status == .done)
    withExtendedLifetime(folder) {}
  }

  @Test(
    "trimming removes only as much as it must, without regard to a default capacity",
    arguments: [50_000, 2_000_000])
  func trimsToItsTarget(target: Int) async throws {
    let folder = try Folder()
    let path = folder.path("cache")
    let cache = try DiskCache(directory: path, configuration: DiskCacheConfiguration(capacity: 4 << 20))
    for number in 0..<300 { await cache.store(Data(count: 10_000), forKey: CacheKey("\(number)")) }
    await cache.close()
    let run = try #require(
      try await CommandRun("cache", "trim", "--to", "\(target)", "--json", "--cache", path).objects.first)
    let (before, after) = (run["before"] as? Int ?? 0, run["after"] as? Int ?? 0)
    #expect(before > 3_000_000)
    #expect(after <= target && after > target - 200_000)
    #expect(after > 0)
  }

  @Test(
    "trim --older-than removes entries that were stored longer ago, and keeps the rest",
    arguments: [("0s", 0), ("2h", 4), ("1d", 4), ("52w", 4)])
  func trimsByAge(_ age: String, _ rest: Int) async throws {
    let (folder, cache) = try await Self.filled()
    let run = await CommandRun("cache", "trim", "--older-than", age, "--cache", cache)
    #expect(run.status == .done, "\(run.errors)")
    let list = try await CommandRun("cache", "list", "--json", "--cache", cache).objects
    #expect(list.count == rest)
    withExtendedLifetime(folder) {}
  }

  @Test("old entries are removed and young ones stay")
  func trimsOld() async throws {
    let folder = try Folder()
    let path = folder.path("cache")
    let clock = ManualClock(date: Date() - 40 * 86_400)
    let cache = try DiskCache(directory: path, configuration: DiskCacheConfiguration { $0.now = clock.date })
    for number in 0..<20 {
      await cache.store(Data(count: 1000), forKey: CacheKey("\(number)"), label: "\(number)")
      clock.advance(by: .seconds(2 * 86_400))
    }
    await cache.close()
    let run = await CommandRun("cache", "trim", "--older-than", "30d", "--cache", path)
    #expect(run.status == .done, "\(run.errors)")
    let names = try await CommandRun("cache", "list", "--json", "--cache", path).objects
      .compactMap { $0["name"] as? String }
    #expect(Set(names) == Set((5..<20).map { "\($0)" }) || Set(names) == Set((6..<20).map { "\($0)" }))
  }

  @Test(
    "a text that is no age is wrong usage", arguments: ["30", "d", "-3d", "+3d", "1.5h", "3y", "", "3 d"])
  func noAge(_ text: String) async {
    let run = await CommandRun("cache", "trim", "--older-than=\(text)")
    #expect(run.status == .wrongUsage)
    #expect(run.errors.contains("--older-than"))
  }

  @Test("trim and clear ask before they change a folder that everybody may write to")
  func openFolder() async throws {
    let (folder, cache) = try await Self.filled()
    try FileManager.default.setAttributes([.posixPermissions: 0o777], ofItemAtPath: cache)
    #expect(await CommandRun("cache", "stats", "--cache", cache).status == .done)
    let run = await CommandRun("cache", "clear", "--cache", cache)
    #expect(run.status == .failed)
    #expect(run.errors.contains("everybody may write to"))
    #expect(run.errors.hasSuffix("ozu cache: --foreign permits it\n"))
    #expect(await CommandRun("cache", "clear", "--foreign", "--cache", cache).status == .done)
    withExtendedLifetime(folder) {}
  }

  @Test(
    "a cache that does not exist is empty, and is not made",
    arguments: ["stats", "list", "verify", "trim", "clear"])
  func absent(_ action: String) async throws {
    let folder = try Folder()
    let run = await CommandRun("cache", action, "--cache", folder.path("none"))
    #expect(run.status == .done)
    #expect(try folder.names.isEmpty)
  }
}
