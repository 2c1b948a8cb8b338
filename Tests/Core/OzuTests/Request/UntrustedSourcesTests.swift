import Foundation
import OzuHTTP
import OzuMigration
import OzuTesting
import Testing

@testable import Ozu

@Suite("The configuration for untrusted sources")
struct UntrustedSourcesTests {
  /// The restrictions, on the fake network, which has no addresses to check.
  private func fixture(_ hosts: HTTPHostRule = .any) -> Fixture {
    Fixture { $0.restrictToUntrustedSources(hosts: hosts) }
  }

  @Test(
    "file and data URLs are refused, whether the files exist or not, in every kind of request",
    arguments: [
      "file:///etc/hostname", "file:///no/such/file", "FILE:///etc/hostname",
      "data:image/gif;base64,R0lGODlh",
    ])
  func local(_ text: String) async throws {
    let fixture = fixture()
    let url = try #require(URL(string: text))
    let message = "only web addresses are read here, no files and no data addresses"
    for request in [ImageRequest(url: url), ImageRequest(.url(url), cacheKey: "own")] {
      let errors = [
        await error { _ = try await fixture.pipeline.image(for: request) },
        await error { _ = try await fixture.pipeline.data(for: request) },
        await error { _ = try await fixture.pipeline.header(for: request) },
      ]
      #expect(errors.map { $0?.explanation } == [message, message, message])
      let prefetcher = ImagePrefetcher(pipeline: fixture.pipeline, destination: .disk)
      for await outcome in prefetcher.start([request]) {
        guard case .failed(let error) = outcome.ending, error.explanation == message else {
          Issue.record("\(outcome.ending)")
          continue
        }
      }
    }
    var withAlternative = ImageRequest(url: Fixture.url("missing.jpg"))
    withAlternative.alternatives = [.url(url)]
    #expect(
      await error { _ = try await fixture.pipeline.image(for: withAlternative) }?.explanation
        == "the server answered 404 (Not Found)")
  }

  private func error(_ work: () async throws -> Void) async -> ImageError? {
    do {
      try await work()
      return nil
    } catch {
      return error as? ImageError
    }
  }

  @Test("a file fetcher is treated like its URL; bytes in memory and fetchers of the app are allowed")
  func ownSources() async throws {
    let fixture = fixture()
    #expect(
      await error {
        _ = try await fixture.pipeline.image(for: ImageRequest(.fetcher(DiskFetcher(path: "/etc/hostname"))))
      } != nil)
    let data = try Fixture.photo.data(as: .png)
    #expect(try await fixture.pipeline.image(for: ImageRequest(.data(data))).size == PixelSize(320, 240))
    let fetched = ImageRequest(ImageSource(key: "own") { data })
    #expect(try await fixture.pipeline.image(for: fetched).size == PixelSize(320, 240))
  }

  @Test("a scheme that the app registers is allowed, also for files")
  func registered() async throws {
    let data = try Fixture.photo.data(as: .png)
    let fixture = Fixture {
      $0.restrictToUntrustedSources(hosts: .only([]))
      $0.sources.register(scheme: "file") { url in
        url.path() == "/public/a.png" ? Bytes(key: url.path(), data: data) : nil
      }
    }
    _ = try await fixture.pipeline.image(for: URL(filePath: "/public/a.png"))
    #expect(await error { _ = try await fixture.pipeline.image(for: URL(filePath: "/etc/hostname")) } != nil)
  }

  private struct Bytes: ImageFetching {
    let key: String
    let data: Data

    func fetch() async throws -> FetchedImage { .data(data) }
  }

  @Test("a host outside the list is refused before any cache is asked, and receives no request")
  func hosts() async throws {
    let shared = MemoryCache<ImageKey, CachedPicture>(MemoryCacheConfiguration(costLimit: 8 << 20))
    let open = Fixture { $0.caching.imageCache = shared }
    let url = try open.serve("a.png", as: .png)
    _ = try await open.pipeline.image(for: url)
    await open.pipeline.flush()
    let closed = open.freshPipeline {
      $0.caching.imageCache = shared
      $0.restrictToUntrustedSources(hosts: .only(["*.example.org"]))
    }
    for request in [ImageRequest(url: url), ImageRequest(ImageURLRequest(url: url))] {
      for error in [
        await error { _ = try await closed.image(for: request) },
        await error { _ = try await closed.data(for: request) },
      ] {
        #expect(error?.kind == .transport)
        #expect((error?.underlying as? HTTPError)?.reason == .hostNotAllowed("example.com"))
      }
    }
    #expect(open.client.requests.count == 1)
    // A view shows nothing of it; what the app looks up in its own cache is no load.
    #expect(closed.cachedImage(for: url) != nil && closed.memoryResponse(for: ImageRequest(url: url)) == nil)
  }

  @Test(
    "the configuration has a client that only uses the listed hosts and public addresses, and lower limits")
  func configuration() async throws {
    let configuration = ImagePipeline.Configuration.untrustedSources(
      hosts: .only(["127.0.0.1", "localhost"]))
    let client = try #require(configuration.network.httpClient as? DefaultHTTPClient)
    #expect(client.configuration.networkGuard == .publicAddressesOnly)
    #expect(client.configuration.hostRule == .only(["127.0.0.1", "localhost"]))
    #expect(configuration.decoding.limits.encodedByteCount < DecodingLimits.default.encodedByteCount)
    #expect(configuration.decoding.limits.pixelCount == DecodingLimits.default.pixelCount)
    #expect(configuration.network.timeouts.total < HTTPTimeouts.images.total)
    #if os(Linux)
      #expect(configuration.decoding.isolation.mode == .required)
    #endif
    // A server of this machine is on the list, and not public.
    let server = try LoopbackServer()
    server.route("/a.png", .ok(try Fixture.photo.data(as: .png)))
    var silent = configuration
    silent.caching.diskStorage = .none
    let pipeline = ImagePipeline(silent)
    let failure = await error { _ = try await pipeline.image(for: server.url("/a.png")) }
    guard let cause = failure?.underlying as? HTTPError, case .addressRefused = cause.reason else {
      Issue.record("\(String(describing: failure))")
      return
    }
    #expect(server.requestCount == 0)
  }
}
