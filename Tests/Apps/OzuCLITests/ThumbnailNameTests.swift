import Foundation
import Ozu
import OzuBase
import OzuTesting
import Testing

@testable import OzuCLI

@Suite("The names of thumbnails")
struct ThumbnailNameTests {
  @Test(
    "addresses are written as GLib writes them",
    arguments: [
      (
        "/tmp/ä b/#1;x?[y]&=+$,:@!~'()*%{}|<>\"^`\\.jpg", "/",
        "file:///tmp/%C3%A4%20b/%231%3Bx%3F%5By%5D&=+$,:@!~'()*%25%7B%7D%7C%3C%3E%22%5E%60%5C.jpg"
      ),
      ("a.jpg", "/home/x", "file:///home/x/a.jpg"),
      ("./../a//b/./c.jpg", "/home/x", "file:///home/a/b/c.jpg"),
      ("../../../a", "/b", "file:///a"), ("/a_b-c.9", "/", "file:///a_b-c.9"),
    ])
  func addresses(_ path: String, _ folder: String, _ address: String) {
    #expect(FileAddress.address(ofPath: path, in: folder) == address)
  }

  @Test("texts of a PNG: Latin-1, several, none in a truncated file or another format")
  func texts() throws {
    let png = try CodecRegistry.standard.encode(PatternPicture(PixelSize(8, 8), tint: 1).bitmap, as: .png)
    let marked = PNGTexts.adding([("a", "1"), ("Grüße", "ü→")], to: png)
    #expect(PNGTexts.texts(of: marked) == ["a": "1", "Grüße": "ü?"])
    // Length, kind, key, a zero, value, and the CRC-32 of everything after the length.
    #expect(
      Array(marked[33..<48]) == [0, 0, 0, 3] + Array("tEXta".utf8) + [0, 0x31] + [0x2E, 0x2B, 0xA2, 0x75])
    #expect(
      try CodecRegistry.standard.picture(from: marked).bitmap
        == CodecRegistry.standard.picture(from: png).bitmap)
    for count in 0..<marked.count { _ = PNGTexts.texts(of: marked.prefix(count)) }
    #expect(PNGTexts.texts(of: marked.prefix(40)).isEmpty && PNGTexts.texts(of: Data("text".utf8)).isEmpty)
  }

  @Test(
    "the shared cache is in the user's cache folder",
    arguments: [
      (["XDG_CACHE_HOME": "/c", "HOME": "/h"], "/c/thumbnails"), (["HOME": "/h"], "/h/.cache/thumbnails"),
      (["XDG_CACHE_HOME": "c", "HOME": "/h"], "/h/.cache/thumbnails"),
      (["HOME": "h"], NSHomeDirectory() + "/.cache/thumbnails"),
    ])
  func standardFolder(_ environment: [String: String], _ folder: String) {
    #expect(ThumbnailCache.standardFolder(environment) == folder)
  }
}
