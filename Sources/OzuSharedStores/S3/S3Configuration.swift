import Foundation
import Ozu
import OzuHTTP

/// Whom an S3 store knows the client as.
public struct S3Credentials: Hashable, Sendable, CustomStringConvertible {
  /// The access key's name.
  public var accessKey: String
  /// The secret that requests are signed with. It is never sent.
  public var secretKey: String
  /// The token of temporary credentials; `nil` for lasting ones.
  public var sessionToken: String?

  /// Makes credentials.
  public init(accessKey: String, secretKey: String, sessionToken: String? = nil) {
    self.accessKey = accessKey
    self.secretKey = secretKey
    self.sessionToken = sessionToken
  }

  /// The name alone.
  public var description: String { "\(accessKey):…" }
}

/// What an `S3Store` is made of.
public struct S3Configuration: Sendable {
  /// Where the service is: `https://s3.eu-central-1.amazonaws.com`, `http://minio:9000`.
  public var endpoint: URL
  /// The bucket, which stands in the path. `nil` where the endpoint's host names it.
  public var bucket: String?
  /// The region that requests are signed for. Services that have none take `us-east-1`.
  public var region: String
  /// Asked before each request, so that temporary credentials can be replaced. Must not wait.
  public var credentials: @Sendable () -> S3Credentials
  /// What all keys begin with. Letters, digits, `-`, `_`, `.`, `~` and `/`. `ozu/`.
  public var keyPrefix = "ozu/"
  /// How long a request may take. 300 milliseconds.
  public var deadline = Duration.milliseconds(300)
  /// The largest entry, in bytes. Larger ones are not kept. 32 MB.
  public var maximumEntryByteCount = 32 << 20
  /// Whether files as they came are kept too. On.
  public var keepsOriginals = true
  /// When the service is left alone.
  public var breaker = SharedStoreBreakerPolicy()
  /// The settings of the connections: certificate authorities, proxy, and how many there are for a host.
  public var connections = HTTPClientConfiguration()
  /// Told what goes wrong and what gets well again, on a queue of its own.
  public var onEvent: @Sendable (SharedStoreEvent) -> Void = { _ in }
  /// The monotonic time.
  var now: @Sendable () -> ContinuousClock.Instant = { ContinuousClock.now }

  /// Makes the settings of a store in a bucket.
  public init(endpoint: URL, bucket: String?, region: String, credentials: S3Credentials) {
    self.endpoint = endpoint
    self.bucket = bucket
    self.region = region
    self.credentials = { credentials }
  }

  /// Whether a name can stand in a path as it is: then nothing is escaped, and signatures cannot differ about it.
  static func isPlain(_ name: String) -> Bool {
    name.utf8.allSatisfy { byte in
      switch byte {
      case UInt8(ascii: "a")...UInt8(ascii: "z"), UInt8(ascii: "A")...UInt8(ascii: "Z"),
        UInt8(ascii: "0")...UInt8(ascii: "9"):
        true
      default: "-_.~/".utf8.contains(byte)
      }
    } && !name.contains("//") && !name.split(separator: "/").contains { $0 == "." || $0 == ".." }
  }
}
