import Foundation
import Testing

@testable import Ozu

@Suite struct ImageRequestTests {
  private static let url = URL(string: "https://example.com/a.jpg")!
  private static let size = PixelSize(320, 240)

  @Test("whatever changes the pixels changes the rendition's key and leaves the source's")
  func keys() {
    let recipes: [Resize?] = [
      nil, Resize(Self.size), Resize(Self.size, mode: .aspectFill),
      Resize(Self.size, mode: .aspectFill, crops: true), Resize(Self.size, mode: .fill),
      Resize(Self.size, allowsUpscaling: true), Resize(Self.size, kernel: .box),
      Resize(PixelSize(240, 320)), Resize(PixelSize(321, 240)),
    ]
    let keys = recipes.map { ImageRequest(url: Self.url, resize: $0).key }
    #expect(Set(keys).count == recipes.count)
    #expect(Set(keys.map(\.source)).count == 1)
    #expect(ImageRequest(url: Self.url, resize: recipes[1]).key == keys[1])
  }

  @Test("no scaling is the same picture as no recipe")
  func none() {
    let request = ImageRequest(url: Self.url, resize: Resize(Self.size, mode: .none))
    #expect(request.key == ImageRequest(url: Self.url).key)
    #expect(request.resize == nil)
  }

  @Test("a key of one's own replaces the address, and never meets an address by chance")
  func ownKey() throws {
    let other = try #require(URL(string: "https://example.com/a.jpg?token=2"))
    let a = ImageRequest(url: Self.url, cacheKey: "a")
    #expect(a.key == ImageRequest(url: other, cacheKey: "a").key)
    #expect(a.key != ImageRequest(url: Self.url).key)
    let byURL = ImageRequest(.data(Data(), key: Self.url.absoluteString))
    #expect(byURL.key != ImageRequest(url: Self.url).key)
  }

  @Test(
    "impossible sizes are refused",
    arguments: [PixelSize(0, 10), PixelSize(10, 0), PixelSize(-1, 5), PixelSize(Int.max, Int.max)])
  func sizes(_ size: PixelSize) {
    #expect(throws: ImageError.self) { try ImageRequest(url: Self.url, resize: Resize(size)).validate() }
  }

  @Test(
    "a source is called by its address without credentials, its path, or its key",
    arguments: [
      ("https://user:secret@example.com/a.jpg?x=1", "https://example.com/a.jpg?x=1"),
      ("file:///tmp/a%20b.jpg", "/tmp/a b.jpg"),
      (
        "data:image/png;base64," + String(repeating: "A", count: 100),
        "data:image/png;base64,AAAAAAAAAAAAAAAAAA…"
      ),
    ])
  func names(_ address: String, _ name: String) throws {
    #expect(ImageSource.url(try #require(URL(string: address))).name == name)
  }
}
