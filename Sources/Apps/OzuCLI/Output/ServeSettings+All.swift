#if canImport(OzuServer)
  import OzuServer

  extension ServeSettings {
    /// A setting, by its name in a file. In the environment the name is in capitals after `OZU_`.
    struct Setting {
      let name: String
      let standard: String
      let help: String

      var variable: String { "OZU_" + name.uppercased() }
    }

    static let all = [
      Setting(
        name: "listen", standard: "127.0.0.1:8080",
        help:
          "the address and the port to listen at; unix:PATH for a socket; systemd for the socket that systemd passes"
      ),
      Setting(
        name: "socket_mode", standard: "660",
        help: "the permissions of the socket of unix:PATH, in octal digits"),
      Setting(
        name: "keys", standard: "",
        help: "KEY:SALT in hexadecimal digits, several separated by commas: the first signs, all are accepted"
      ),
      Setting(
        name: "signature_bytes", standard: "32",
        help: "the bytes of a signature in an address, 16 to 32"),
      Setting(
        name: "sources", standard: "",
        help:
          "the beginnings of the allowed addresses of pictures, separated by commas; any address by default"),
      Setting(
        name: "hosts", standard: "",
        help: "the hosts that redirects may lead to; by default only the addresses of sources"),
      Setting(
        name: "base_address", standard: "",
        help:
          "the address, with a slash at its end, that pictures without a scheme in their address are below"),
      Setting(
        name: "rewrites", standard: "",
        help:
          "BEGINNING=ADDRESS/, several separated by commas: beginnings that stand for others; sources applies to the result"
      ),
      Setting(
        name: "origin_fields", standard: "",
        help:
          "ADDRESS NAME: VALUE, several separated by semicolons: fields for addresses with this beginning, as a password; no redirect gets them"
      ),
      Setting(
        name: "folders", standard: "",
        help:
          "NAME=PATH, several separated by commas: folders whose pictures are local://NAME/…; without a name local:///…"
      ),
      Setting(
        name: "folder_age", standard: "60",
        help: "the seconds that a picture of a folder is served without a look at its file"),
      Setting(
        name: "buckets", standard: "",
        help: "the buckets of S3 whose pictures are s3://BUCKET/KEY, separated by commas"),
      Setting(
        name: "buckets_endpoint", standard: "",
        help: "the address of the service of these buckets; that of Amazon by default"),
      Setting(name: "buckets_region", standard: "us-east-1", help: "their region"),
      Setting(
        name: "buckets_style", standard: "",
        help: "host or path: where addresses have the bucket; by default host at Amazon, path elsewhere"),
      Setting(
        name: "buckets_access_key", standard: "",
        help: "the name of their key; also read from AWS_ACCESS_KEY_ID; without one they are public"),
      Setting(
        name: "buckets_secret_key", standard: "", help: "their key; also read from AWS_SECRET_ACCESS_KEY"),
      Setting(
        name: "buckets_session_token", standard: "",
        help: "the token of temporary keys; also read from AWS_SESSION_TOKEN"),
      Setting(
        name: "buckets_ca", standard: "",
        help: "a PEM file of the trusted authorities for these buckets; by default those of the system"),
      Setting(
        name: "fallback", standard: "",
        help: "the file of the picture that is served where a source is missing or cannot be read"),
      Setting(
        name: "fallback_status", standard: "",
        help: "the status of an answer with it, such as 200; by default that of the failure"),
      Setting(
        name: "fallback_age", standard: "60", help: "the seconds that clients may keep it"),
      Setting(name: "presets", standard: "", help: "NAME=OPTIONS, several separated by semicolons"),
      Setting(name: "only_presets", standard: "no", help: "whether addresses may only name presets"),
      Setting(name: "client_hints", standard: "no", help: "whether the client hints DPR and Width are used"),
      Setting(
        name: "quality", standard: "80",
        help:
          "the compression quality when an address names none; with other ones for single formats: 80,avif=60"
      ),
      Setting(name: "largest_side", standard: "4096", help: "the largest side of a result, in pixels"),
      Setting(
        name: "processor_time", standard: "5",
        help: "the seconds of processor time that decoding a picture may take; more on a slow machine"),
      Setting(
        name: "source_pixels", standard: "256000000", help: "the most pixels of a source"),
      Setting(
        name: "source_bytes", standard: "67108864", help: "the most bytes of a source"),
      Setting(
        name: "decoded_bytes", standard: "536870912",
        help: "the most bytes of memory that decoding a picture may take, and all decodes at a time together"),
      Setting(name: "cache", standard: "", help: "the folder of the disk cache; by default there is none"),
      Setting(name: "cache_bytes", standard: "1073741824", help: "the most bytes of the disk cache"),
      Setting(
        name: "memory_bytes", standard: "134217728", help: "the bytes of finished files that memory keeps"),
      Setting(
        name: "redis", standard: "",
        help:
          "HOST:PORT or a socket's path of Redis or Valkey, several separated by commas: files and leases are shared"
      ),
      Setting(name: "redis_user", standard: "", help: "the user of Redis"),
      Setting(name: "redis_password", standard: "", help: "the password of Redis"),
      Setting(
        name: "redis_deadline", standard: "50", help: "the milliseconds to wait for an answer of Redis"
      ),
      Setting(
        name: "s3_endpoint", standard: "",
        help:
          "the address of S3 or of a compatible service: a shared store below Redis, for files and originals"
      ),
      Setting(name: "s3_bucket", standard: "", help: "the bucket, unless the address names it"),
      Setting(name: "s3_region", standard: "us-east-1", help: "the region that requests are signed for"),
      Setting(
        name: "s3_access_key", standard: "", help: "the name of the key; also read from AWS_ACCESS_KEY_ID"),
      Setting(
        name: "s3_secret_key", standard: "",
        help: "the key that requests are signed with; also read from AWS_SECRET_ACCESS_KEY"),
      Setting(
        name: "s3_session_token", standard: "",
        help: "the token of temporary keys; also read from AWS_SESSION_TOKEN"),
      Setting(
        name: "s3_deadline", standard: "300", help: "the milliseconds to wait for an answer of S3"),
      Setting(name: "s3_prefix", standard: "ozu/", help: "the beginning of the names of all objects"),
      Setting(
        name: "s3_ca", standard: "",
        help: "a PEM file of the trusted authorities for S3; by default those of the system"),
      Setting(name: "pending", standard: "256", help: "how many requests may wait; more requests get 503"),
      Setting(name: "timeout", standard: "30", help: "the seconds that an answer may take; then 504"),
      Setting(
        name: "connections", standard: "32", help: "the most connections to an origin"),
      Setting(
        name: "downloads", standard: "128",
        help: "the most downloads at a time, from all origins; one origin has half of them at most"),
      Setting(
        name: "connect_timeout", standard: "5", help: "the seconds to connect to an origin"),
      Setting(
        name: "idle_timeout", standard: "",
        help: "the seconds that an origin may be silent; as timeout by default"),
      Setting(
        name: "download_timeout", standard: "",
        help: "the seconds for a whole download, with redirects and retries; as timeout by default"),
      Setting(
        name: "minimum_speed", standard: "1000",
        help: "the bytes a second that an origin must send after its answer has begun; 0 for any speed"),
      Setting(
        name: "speed_window", standard: "10", help: "the seconds over which minimum_speed is measured"),
      Setting(name: "drain", standard: "20", help: "the seconds that answers have left after SIGTERM"),
      Setting(
        name: "longest_age", standard: "31536000", help: "the most seconds that clients may keep a picture"
      ),
      Setting(name: "metrics", standard: "yes", help: "whether /metrics is answered"),
      Setting(
        name: "log", standard: "yes", help: "whether each request is a line of JSON on standard output"),
      Setting(
        name: "isolation", standard: "required",
        help: "required, preferred or off: decode in processes of their own"),
      Setting(
        name: "private_networks", standard: "no", help: "whether hosts of private networks may be asked"),
      Setting(
        name: "playground", standard: "no",
        help: "whether / is a page to try options on, for users who have its token"),
      Setting(
        name: "playground_token", standard: "",
        help: "16 characters or more; by default one is made and printed, if only this machine can connect"
      ),
    ]
  }

  extension ServeSettings {
    /// The page to try options on, with its token, if the settings ask for it.
    ///
    /// The page signs addresses for users who have the token. If only this machine can connect and the settings have no
    /// token, one is made and printed. If others can connect, the settings must have one.
    ///
    /// - Returns: the page, and the token if it was made here; `nil` without a page.
    /// - Throws: `UsageError`.
    func playground(
      _ rules: AddressRules, at address: ListenAddress
    ) throws(UsageError) -> (page: Playground, madeToken: String?)? {
      let given = self["playground_token"]
      guard try flag("playground") else {
        guard given.isEmpty else {
          throw UsageError("playground_token is set, and playground is not yes")
        }
        return nil
      }
      guard !given.isEmpty || address.isLoopback else {
        throw UsageError(
          "playground = yes: other machines can connect there, and everybody who opens the page could get a signature "
            + "for any address",
          hint: "Set playground_token (openssl rand -hex 16 makes one), or listen at 127.0.0.1.")
      }
      let token = given.isEmpty ? Playground.makeToken() : given
      do throws(ServiceConfigurationError) {
        return (try Playground(SignedAddresses(rules), token: token), given.isEmpty ? token : nil)
      } catch {
        throw UsageError("playground_token: \(error.description)")
      }
    }
  }

  extension ServeSettings.ListenAddress {
    /// Whether only this machine can connect. False for a socket in the file system: its permissions are not known here.
    fileprivate var isLoopback: Bool {
      guard case .tcp(let host, _) = self else { return false }
      let parts = host.split(separator: ".", omittingEmptySubsequences: false)
      return host == "::1" || parts.count == 4 && parts[0] == "127" && parts.allSatisfy { UInt8($0) != nil }
    }
  }
#endif
