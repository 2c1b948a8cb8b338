#if canImport(FoundationEssentials)
  import FoundationEssentials
#else
  import Foundation
#endif

/// The settings of a client's connections, fixed when it is made.
public struct HTTPClientConfiguration: Sendable, Hashable {
  /// How many requests run at once; the others wait by priority, then by age. 64. An image pipeline bounds its own
  /// downloads, which do not wait here a second time.
  public var maximumConcurrentRequests: Int = 64
  /// How many connections one host gets. 6, as in browsers. A host that speaks HTTP/2 carries all its
  /// requests over few connections and is not held to one request per connection.
  public var maximumConnectionsPerHost: Int = 6
  /// Through which proxy requests go.
  public var proxy: HTTPProxy = .environment
  /// Which certificate authorities are trusted.
  public var certificateAuthorities: HTTPCertificateAuthorities = .system
  /// Where the environment has the system's authorities.
  var environmentCertificates = EnvironmentCertificates.current
  /// The `User-Agent` of requests that bring none; nil sends none.
  public var userAgent: String? = "Ozu"
  /// Whether HTTP/2 is offered to servers that speak it over TLS.
  public var isHTTP2Enabled: Bool = true

  /// Which addresses may be connected to. All, by default; servers that load what strangers name set
  /// `publicAddressesOnly`.
  public var networkGuard: HTTPNetworkGuard = .off
  /// Which hosts may be asked, checked before the first request and again at each redirect. All, by default.
  public var hostRule: HTTPHostRule = .any

  /// Makes the default settings.
  public init() {}
}

/// Through which proxy a client's requests go.
public enum HTTPProxy: Sendable, Hashable {
  /// What the environment (`http_proxy`, `https_proxy`, `all_proxy`, `no_proxy`) or the system's settings
  /// say.
  case environment
  /// None, whatever the environment says.
  case none
  /// This one for every request, such as `http://127.0.0.1:3128`.
  case url(URL)
}

/// Which certificate authorities a client trusts.
public enum HTTPCertificateAuthorities: Sendable, Hashable {
  /// Those of the operating system. On Linux `SSL_CERT_FILE` and `SSL_CERT_DIR` in the environment of the process name
  /// others, as for curl: a PEM file, and a folder that `openssl rehash` has prepared.
  case system
  /// Those in this PEM file alone. Not available with `URLSession`, which knows only the system's: every request is
  /// refused there.
  case file(path: String)
}
