import Foundation
import OzuHTTP

extension ImagePipeline.Configuration {
  /// The configuration of a pipeline that loads URLs of untrusted users: for a server, or for an app that shows
  /// pictures of other people's pages. Everything can be changed afterwards.
  ///
  /// ```swift
  /// let pipeline = ImagePipeline(.untrustedSources(hosts: .only(["*.images.example.com"])))
  /// ```
  ///
  /// | Setting | Here | By default |
  /// |---|---|---|
  /// | hosts | those of `hosts`, judged before any cache is asked and again at each redirect | any |
  /// | addresses connected to | public ones alone (`HTTPNetworkGuard`), no proxy | any |
  /// | `file:` and `data:` addresses | refused, whether there is such a file or not | read |
  /// | bytes of a file | 64 MB | 100 MB |
  /// | pixels of a picture, memory of one decode | 128 million (`DecodingLimits.pixelCount`), 512 MB | the same |
  /// | processor time of one decode | 5 s | 10 s |
  /// | frames of an animation | 1,000 | 16,384 |
  /// | scans of a JPEG | 50 | 100 |
  /// | time to connect, silence, whole download | 5 s, 10 s, 30 s | 10 s, 30 s, 120 s |
  /// | slowest answer | 1,000 bytes a second over 10 s | 100 over 30 s |
  /// | retries | 1 | 2 |
  /// | decoders | in processes of their own, on Linux (`decoding.isolation` is `required`) | in this process |
  /// | pictures of memory cache and disk | those of this pipeline's folder | the same |
  ///
  /// Sources that are not URLs (`ImageSource.data`, fetchers, schemes that the app registers in `sources`) belong to
  /// the app and are not restricted. On Linux `decoding.isolation` is `required`: without a helper beside the program
  /// (`ozu-decode`) no picture is read, and `ImageError.decoderFailed` says so. Set `decoding.isolation.helper` if the helper is
  /// elsewhere. Give the pipeline its own disk folder: entries that another pipeline stored after a redirect were not
  /// checked by these rules.
  ///
  /// `network.httpClient` is a new client for each configuration, so make one configuration and keep it. On Apple platforms
  /// `URLSession` does not reveal the address of a connection, so the client refuses every request: set `network.httpClient`
  /// to one whose `networkGuard` is off, if all hosts are listed and trusted to have public addresses.
  ///
  /// - Parameter hosts: the hosts from which pictures may come. By default any host with a public address; a list is
  ///   safer.
  public static func untrustedSources(hosts: HTTPHostRule = .any) -> ImagePipeline.Configuration {
    var client = HTTPClientConfiguration()
    client.networkGuard = .publicAddressesOnly
    client.hostRule = hosts
    return untrustedSources(client)
  }

  /// The same with the settings of a client, whose host rule applies to the pipeline too.
  package static func untrustedSources(_ client: HTTPClientConfiguration) -> ImagePipeline.Configuration {
    var configuration = ImagePipeline.Configuration()
    configuration.network.httpClient = DefaultHTTPClient(configuration: client)
    configuration.restrictToUntrustedSources(hosts: client.hostRule)
    #if os(Linux) && !OZU_CHECK_APPLE
      configuration.decoding.isolation = .required
    #endif
    return configuration
  }

  /// Applies all restrictions except the client and isolation.
  package mutating func restrictToUntrustedSources(hosts: HTTPHostRule) {
    network.hostRule = hosts
    readsLocalAddresses = false
    decoding.limits.encodedByteCount = 64 << 20
    decoding.limits.cpuTime = .seconds(5)
    decoding.limits.frameCount = 1_000
    decoding.limits.scanCount = 50
    network.timeouts = HTTPTimeouts(
      connect: .seconds(5), idle: .seconds(10), total: .seconds(30),
      minimumSpeed: HTTPMinimumSpeed(bytesPerSecond: 1_000, window: .seconds(10)))
    network.retryPolicy.maximumRetryCount = 1
  }

  /// Whether some sources are refused.
  var checksSources: Bool { network.hostRule != .any || !readsLocalAddresses }

  /// Refuses a source that this pipeline does not allow, before any access to it: neither the error nor the time of a
  /// refused request reveals whether the source exists.
  ///
  /// - Throws: an error of the kind `invalidSource`, or `transport` with `hostNotAllowed`.
  func check(_ source: ImageSource) throws(ImageError) {
    guard checksSources else { return }
    let url: URL
    switch source {
    case .url(let address): url = address
    case .request(let request): url = request.url
    case .data, .picture, .fetcher: return
    }
    switch url.scheme?.lowercased() {
    case "http", "https":
      do throws(HTTPError) {
        try network.hostRule.check(url)
      } catch {
        throw ImageError(error, source: source.name)
      }
    case "file", "data", nil:
      guard !readsLocalAddresses, !sources.usesFetcher(source) else { return }
      throw .invalidSource(
        source.name, reason: "only web addresses are read here, no files and no data addresses")
    default: break
    }
  }
}
