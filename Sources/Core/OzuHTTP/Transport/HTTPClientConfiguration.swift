import OzuBase

/// The settings of a client. They are fixed when the client is made.
public struct HTTPClientConfiguration: Sendable, Hashable {
  /// The most requests that run at once. The others wait by priority, then by age. Default: 64. An image pipeline
  /// limits its own downloads, which do not wait here a second time.
  public var maximumConcurrentRequests: Int = 64
  /// The most connections to one host. Default: 6, as in browsers. A host with HTTP/2 carries all its requests over
  /// few connections, and this limit does not apply to it.
  public var maximumConnectionsPerHost: Int = 6
  /// The proxy of requests.
  public var proxy: HTTPProxy = .environment
  /// The trusted certificate authorities.
  public var certificateAuthorities: HTTPCertificateAuthorities = .system
  /// The paths of the system's certificate authorities in the environment.
  var environmentCertificates = EnvironmentCertificates.current
  /// The `User-Agent` of requests without one; nil sends none.
  public var userAgent: String? = "Ozu"
  /// Whether HTTP/2 is offered over TLS.
  public var isHTTP2Enabled: Bool = true

  /// Which addresses the client may connect to. Default: all. Servers that load addresses of strangers set
  /// `publicAddressesOnly`.
  public var networkGuard: HTTPNetworkGuard = .off
  /// Which hosts may be asked. It is checked before the first request and at each redirect. Default: all.
  public var hostRule: HTTPHostRule = .any

  /// Makes the default settings.
  public init() {}

  /// The file or folder of the trusted authorities; nil for the transport's own default.
  var authoritiesPath: String? {
    switch certificateAuthorities {
    case .file(let path): path
    case .system: environmentCertificates.file ?? environmentCertificates.directory
    }
  }
}

/// The proxy of a client's requests.
public enum HTTPProxy: Sendable, Hashable {
  /// The proxy of the environment (`http_proxy`, `https_proxy`, `all_proxy`, `no_proxy`) or of the system's
  /// settings.
  case environment
  /// No proxy, also if the environment names one.
  case none
  /// This proxy for every request, such as `http://127.0.0.1:3128`.
  case url(URL)
}

/// Which certificate authorities a client trusts.
public enum HTTPCertificateAuthorities: Sendable, Hashable {
  /// Those of the operating system. On Linux the environment variables `SSL_CERT_FILE` and `SSL_CERT_DIR` replace
  /// them, as with curl: a PEM file, and a folder that `openssl rehash` has prepared.
  case system
  /// Only those in this PEM file. `URLSession` does not support it, so there every request is refused.
  case file(path: String)
}

/// The paths of the system's certificate authorities in `SSL_CERT_FILE` and `SSL_CERT_DIR`. As in OpenSSL and curl,
/// each replaces only its own default.
struct EnvironmentCertificates: Sendable, Hashable {
  let file: String?
  let directory: String?

  init(_ environment: [String: String]) {
    func value(_ name: String) -> String? { environment[name].flatMap { $0.isEmpty ? nil : $0 } }
    (file, directory) = (value("SSL_CERT_FILE"), value("SSL_CERT_DIR"))
  }

  /// The values of the process's environment when they were first needed.
  static let current = EnvironmentCertificates(ProcessInfo.processInfo.environment)
}
