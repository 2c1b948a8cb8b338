import Foundation
import OzuHTTP
import Testing

@testable import Ozu

@Suite struct ImageRequestTests {
  private static let url = URL(string: "https://example.com/a.jpg")!
  private static let size = PixelSize(320, 240)

  @Test("every change of the pixels changes the rendition's key and not the source's")
  func keys() {
    let recipes: [Resize?] = [
      nil, Resize(Self.size), Resize(Self.size, mode: .aspectFill),
      Resize(Self.size, mode: .aspectFill, crops: false), Resize(Self.size, mode: .fill),
      Resize(Self.size, allowsUpscaling: true), Resize(Self.size, kernel: .box),
      Resize(PixelSize(240, 320)), Resize(PixelSize(321, 240)),
    ]
    let keys = recipes.map { ImageRequest(url: Self.url, resize: $0).key }
    #expect(Set(keys).count == recipes.count)
    #expect(Set(keys.map(\.source)).count == 1)
    #expect(ImageRequest(url: Self.url, resize: recipes[1]).key == keys[1])
  }

  @Test("a resize that changes nothing has the key of no recipe")
  func none() {
    let request = ImageRequest(url: Self.url, resize: Resize(Self.size, mode: .none))
    #expect(request.key == ImageRequest(url: Self.url).key)
    #expect(request.resize == nil)
  }

  @Test("a key of the app replaces the URL, and never equals a URL by accident")
  func ownKey() throws {
    let other = try #require(URL(string: "https://example.com/a.jpg?token=2"))
    let a = ImageRequest(url: Self.url, cacheKey: "a")
    #expect(a.key == ImageRequest(url: other, cacheKey: "a").key)
    #expect(a.key != ImageRequest(url: Self.url).key)
    let byURL = ImageRequest(.data(Data(), key: Self.url.absoluteString))
    #expect(byURL.key != ImageRequest(url: Self.url).key)
  }

  @Test("the request for the original has no recipe, and the same key, policies and sources")
  func original() {
    var request = ImageRequest(
      url: Self.url, resize: Resize(Self.size), processors: [.grayscale], cachePolicy: .bypass, cacheKey: "a")
    request.scale = 2
    request.colorPolicy = .keep
    request.headroomStops = 2
    request.alternatives = [.url(URL(filePath: "/a.jpg"))]
    for each in [request, request.inFormat(CacheFormat("icon", size: Self.size))] {
      let original = each.original
      #expect(original.key == ImageRequest(url: Self.url, cacheKey: "a").key)
      #expect(original.format == nil && original.scale == 1 && original.cachePolicy == .bypass)
      #expect(original.alternatives.count == 1)
    }
    request.cachePolicy = .reload
    #expect(request.original.cachePolicy == .useCaches)
  }

  @Test(
    "header fields and time limits belong to the download; credentials are part of the key, a changed key stays"
  )
  func download() throws {
    let plain = ImageRequest(url: Self.url, resize: Resize(Self.size))
    var request = plain
    request.headers = ["Referer": "https://example.com"]
    request.timeouts = HTTPTimeouts(total: .seconds(3))
    #expect(request.key == plain.key)
    guard case .request(let own) = request.source else { throw ImageError.notCached("no download") }
    #expect(own.url == Self.url && own.headers["Referer"] == "https://example.com")
    #expect(own.timeouts?.total == .seconds(3))
    request.headers["Authorization"] = "Bearer a"
    #expect(request.key != plain.key)
    #expect(
      request.key
        == ImageRequest(url: Self.url, headers: ["Authorization": "Bearer a"], resize: plain.resize).key)
    #expect(request.timeouts?.total == .seconds(3))
    // Without rules of its own it is the address alone again.
    request.headers = [:]
    request.timeouts = nil
    guard case .url(Self.url) = request.source else { throw ImageError.notCached("no address") }
    // A key of the app stays, and a source without an address has no download.
    #expect(
      ImageRequest(url: Self.url, cacheKey: "a").with { $0.headers = ["Referer": "b"] }.sourceKey == "key:a")
    var data = ImageRequest(data: Data([1]))
    data.headers = ["Referer": "b"]
    #expect(data.headers.isEmpty && data.key == ImageRequest(.data(Data([1]))).key)
    let file = ImageRequest(url: URL(filePath: "/a.jpg"), headers: ["Referer": "b"])
    #expect { try file.source.access() } throws: { ImageError.invalidSource ~= $0 }
  }

  @Test("a request is small, and a change of a copy does not change the original")
  func value() {
    #expect(MemoryLayout<ImageRequest>.size <= 64)
    let original = ImageRequest(url: Self.url)
    var copy = original
    copy.scale = 2
    copy.deadline = .seconds(3)
    copy.userInfo["screen"] = 7
    copy.alternatives = [.data(Data(), key: "b")]
    copy.readLayers = .disk
    #expect(original.scale == 1)
    #expect(original.deadline == nil)
    #expect(original.userInfo.isEmpty)
    #expect(original.alternatives.isEmpty)
    #expect(original.readLayers == .all)
    // None of these changes the pixels.
    #expect(copy.key == original.key)
    #expect(copy.userInfo["screen"] as? Int == 7)
    copy.resize = Resize(Self.size)
    #expect(copy.key == ImageRequest(url: Self.url, resize: Resize(Self.size)).key)
    #expect(copy.key.source == original.key.source)
    copy.resize = nil
    #expect(copy.key == original.key)
  }

  @Test("requests are built in one expression, also from a literal")
  func building() {
    let literal: ImageRequest = "https://example.com/a.jpg"
    let built = literal.resized(to: Self.size, mode: .aspectFill)
      .processed(by: .circle(), .grayscale).with { $0.priority = .high }
    let made = ImageRequest(
      url: Self.url, resize: Resize(Self.size, mode: .aspectFill),
      processors: [.circle(), .grayscale])
    #expect(built.key == made.key)
    #expect(built.priority == .high)
    #expect(literal.key == ImageRequest(url: Self.url).key)
  }

  @Test("header fields change the key only if they are named; credentials always do")
  func headers() {
    let key = { (headers: HTTPHeaders, keyHeaders: [String]) in
      var request = ImageURLRequest(url: Self.url, headers: headers)
      request.keyHeaders = keyHeaders
      return ImageRequest(request).key
    }
    let plain = ImageRequest(url: Self.url).key
    #expect(key([:], []) == plain)
    #expect(key(["Accept-Language": "de"], []) == plain)
    let german = key(["Accept-Language": "de"], ["accept-language"])
    #expect(german != plain)
    #expect(german != key(["Accept-Language": "fr"], ["accept-language"]))
    let alice = key(["Authorization": "Bearer a"], [])
    #expect(alice != plain)
    #expect(alice != key(["Authorization": "Bearer b"], []))
    #expect(alice.source != plain.source)
  }

  @Test("bytes without a key have a hash of the bytes as the key")
  func bytes() {
    let a = ImageRequest(.data(Data([1, 2, 3])))
    #expect(a.key == ImageRequest(.data(Data([1, 2, 3]))).key)
    #expect(a.key != ImageRequest(.data(Data([1, 2, 4]))).key)
  }

  @Test("cache-key rules apply to requests with header fields, too")
  func rules() throws {
    let signed = try #require(URL(string: "https://example.com/a.jpg?token=2"))
    var rules = ImagePipeline.Configuration()
    rules.caching.cacheKeyRules = [CacheKeyRule(host: "example.com", droppingQueryItems: ["token"])]
    let plain = ImageRequest(url: Self.url).key
    #expect(ImageRequest(url: signed).keyed(by: rules).key == plain)
    #expect(ImageRequest(ImageURLRequest(url: signed, headers: ["A": "b"])).keyed(by: rules).key == plain)
    #expect(ImageRequest(url: signed, cacheKey: "x").keyed(by: rules).key != plain)
  }

  @Test(
    "impossible sizes are refused",
    arguments: [PixelSize(0, 10), PixelSize(10, 0), PixelSize(-1, 5), PixelSize(Int.max, Int.max)])
  func sizes(_ size: PixelSize) {
    #expect(throws: ImageError.self) { try ImageRequest(url: Self.url, resize: Resize(size)).validate() }
  }

  @Test(
    "the name of a source is its URL without credentials and query, its path, or its key",
    arguments: [
      ("https://user:secret@example.com/a.jpg?x=1", "https://example.com/a.jpg?…"),
      ("file:///tmp/a%20b.jpg", "/tmp/a b.jpg"),
      (
        "data:image/png;base64," + String(repeating: "A", count: 100),
        "data:image/png;base64,AAAAAAAAAAAAAAAAAA…"
      ),
    ])
  func names(_ address: String, _ name: String) throws {
    #expect(ImageSource.url(try #require(URL(string: address))).name == name)
  }

  @Test(
    "addresses that differ only in what no server sees, or may tell apart, are one picture (RFC 3986 §6.2)",
    arguments: [
      [
        "https://example.com/a.jpg", "https://example.com/a.jpg#1", "https://example.com/a.jpg#",
        "HTTPS://Example.COM:443/a.jpg",
      ],
      [
        "http://example.com/~a?b=%C3%BC", "http://example.com:80/%7Ea?b=%c3%bc",
        "http://example.com:/%7ea?b=%C3%Bc",
      ],
      ["http://example.com/", "http://example.com", "http://example.com#a"],
      ["http://example.com/?a", "http://example.com?a"],
      ["http://[2001:db8::a]/a", "http://[2001:DB8::A]:80/a"],
      ["http://u:P@example.com/a", "HTTP://u:P@EXAMPLE.com/a"],
    ])
  func sameAddresses(_ texts: [String]) throws {
    let keys = try texts.map { ImageRequest(url: try #require(URL(string: $0))).key }
    #expect(Set(keys).count == 1)
    #expect(Set(keys.map(\.source)).count == 1)
  }

  @Test("other addresses are different pictures")
  func differentAddresses() throws {
    let texts = [
      "http://example.com/a", "https://example.com/a", "http://example.com:8080/a",
      "http://example.com:443/a",
      "http://example.com/A", "http://example.com/a/", "http://example.com/a?", "http://example.com/a?b",
      "http://example.com/a?B", "http://example.com/a%2Fb", "http://example.com/a/b",
      "http://U@example.com/a",
      "http://u@example.com/a", "http://example.com//a",
    ]
    let keys = try texts.map { ImageRequest(url: try #require(URL(string: $0))).key }
    #expect(Set(keys).count == texts.count)
  }
}
