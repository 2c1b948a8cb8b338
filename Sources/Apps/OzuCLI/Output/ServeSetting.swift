#if canImport(OzuServer)
  /// A setting of `ozu serve`, by its name in a file. In the environment the name is in capitals after `OZU_`.
  struct ServeSetting {
    let name: String
    let standard: String
    /// Whether the value is, or may have, a password.
    let isSecret: Bool
    /// Whether SIGHUP has it read again.
    let isReloadable: Bool
    let help: String

    init(
      _ name: String, _ standard: String = "", isSecret: Bool = false, isReloadable: Bool = false,
      help: String
    ) {
      (self.name, self.standard, self.help) = (name, standard, help)
      (self.isSecret, self.isReloadable) = (isSecret, isReloadable)
    }

    var variable: String { "OZU_" + name.uppercased() }

    /// What settings are for, in the order of the page about them.
    struct Group {
      let title: String
      let settings: [ServeSetting]
    }

    static let all = groups.flatMap(\.settings)

    /// The tables of all settings, for the page about them.
    static var tables: String {
      groups.map { group in
        let rows = group.settings.map { setting in
          let standard = setting.standard.isEmpty ? "" : "`\(setting.standard)`"
          return
            "| `\(setting.name)` | \(standard) | \(setting.help) | \(setting.isReloadable ? "yes" : "") |"
        }
        return "## \(group.title)\n\n| setting | by default | meaning | at SIGHUP |\n|---|---|---|---|\n"
          + rows.joined(separator: "\n")
      }.joined(separator: "\n\n")
    }

    static let groups: [Group] =
      [
        Group(
          title: "Where it listens",
          settings: [
            ServeSetting(
              "listen", "127.0.0.1:8080",
              help:
                "the address and the port to listen at; unix:PATH for a socket; systemd for the socket that systemd passes"
            ),
            ServeSetting(
              "socket_mode", "660",
              help: "the permissions of the socket of unix:PATH, in octal digits"),
            ServeSetting(
              "status_listen",
              help:
                "a second address, as of listen, that answers /health, /ready and /metrics alone; /metrics is not answered at listen then"
            ),
            ServeSetting(
              "path_prefix",
              help: "the beginning of all addresses of pictures, such as /pictures; it is not signed"),
            ServeSetting(
              "clients", "4096",
              help: "the most connections of clients at a time, within half of the files that may be open"),
            ServeSetting("head_timeout", "10", help: "the seconds that a client has to send a request"),
            ServeSetting(
              "keep_alive", "60",
              help: "the seconds that a connection may wait for its next request"),
            ServeSetting(
              "write_timeout", "30",
              help: "the seconds that a client may take no byte of an answer"),
          ]),
        Group(
          title: "Who may ask for what",
          settings: [
            ServeSetting(
              "keys", isSecret: true, isReloadable: true,
              help:
                "KEY:SALT in hexadecimal digits, several separated by commas: the first signs, all are accepted"
            ),
            ServeSetting(
              "keys_file", isReloadable: true,
              help: "a file of such pairs, one a line, after those of keys; it is read again at SIGHUP"),
            ServeSetting(
              "signature_bytes", "32", isReloadable: true,
              help: "the bytes of a signature in an address, 16 to 32"),
            ServeSetting(
              "sources", isReloadable: true,
              help:
                "the beginnings of the allowed addresses of pictures, separated by commas; any address by default"
            ),
            ServeSetting(
              "hosts", isReloadable: true,
              help:
                "the hosts that redirects may lead to, beside those of sources; by default only the addresses of sources"
            ),
            ServeSetting(
              "private_networks", "no", isReloadable: true,
              help: "whether hosts of private networks may be asked"),
            ServeSetting(
              "presets", isReloadable: true,
              help: "NAME=OPTIONS, several separated by semicolons; one may name others before it"),
            ServeSetting(
              "only_presets", "no", isReloadable: true,
              help: "whether addresses may only name presets"),
            ServeSetting(
              "allowed_options", isReloadable: true,
              help:
                "the names of the options that addresses may have, separated by commas, long and short ones; all by default"
            ),
            ServeSetting(
              "raw", "yes", isReloadable: true,
              help: "whether the option raw may have a source sent as it is, with all its metadata"),
            ServeSetting(
              "info", "picture", isReloadable: true,
              help:
                "what /info/… tells of a source: none, picture (its file, size and colours), metadata (also EXIF data without the place) or everything"
            ),
            ServeSetting(
              "playground", "no",
              help: "whether / is a page to try options on, for users who have its token"),
            ServeSetting(
              "playground_token", isSecret: true,
              help:
                "16 characters or more; by default one is made and printed, if only this machine can connect"),
          ]),
        Group(
          title: "Where pictures come from",
          settings: [
            ServeSetting(
              "base_address", isReloadable: true,
              help:
                "the address, with a slash at its end, that pictures without a scheme in their address are below"
            ),
            ServeSetting(
              "rewrites", isReloadable: true,
              help:
                "BEGINNING=ADDRESS/, several separated by commas: beginnings that stand for others; sources applies to the result"
            ),
            ServeSetting(
              "origin_fields", isSecret: true, isReloadable: true,
              help:
                "ADDRESS NAME: VALUE, several separated by semicolons: fields for addresses with this beginning, as a password; no redirect gets them"
            ),
            ServeSetting(
              "folders",
              help:
                "NAME=PATH, several separated by commas: folders whose pictures are local://NAME/…; without a name local:///…"
            ),
            ServeSetting(
              "folder_age", "60",
              help: "the seconds that a picture of a folder is served without a look at its file"),
            ServeSetting(
              "buckets", isReloadable: true,
              help: "the buckets of S3 whose pictures are s3://BUCKET/KEY, separated by commas"),
            ServeSetting(
              "buckets_endpoint", isReloadable: true,
              help: "the address of the service of these buckets; that of Amazon by default"),
            ServeSetting("buckets_region", "us-east-1", isReloadable: true, help: "their region"),
            ServeSetting(
              "buckets_style", isReloadable: true,
              help: "host or path: where addresses have the bucket; by default host at Amazon, path elsewhere"
            ),
            ServeSetting(
              "buckets_access_key", isReloadable: true,
              help: "the name of their key; also read from AWS_ACCESS_KEY_ID; without one they are public"),
            ServeSetting(
              "buckets_secret_key", isSecret: true, isReloadable: true,
              help: "their key; also read from AWS_SECRET_ACCESS_KEY"),
            ServeSetting(
              "buckets_session_token", isSecret: true, isReloadable: true,
              help: "the token of temporary keys; also read from AWS_SESSION_TOKEN"),
            ServeSetting(
              "buckets_ca", isReloadable: true,
              help: "a PEM file of the trusted authorities for these buckets; by default those of the system"),
            ServeSetting(
              "fallback",
              help: "the file of the picture that is served where a source is missing or cannot be read"),
            ServeSetting(
              "fallback_status",
              help: "the status of an answer with it, such as 200; by default that of the failure"),
            ServeSetting("fallback_age", "60", help: "the seconds that clients may keep it"),
          ]),
        Group(
          title: "How results look",
          settings: [
            ServeSetting(
              "quality", "80", isReloadable: true,
              help:
                "the compression quality when an address names none; with other ones for single formats: 80,avif=60"
            ),
            ServeSetting(
              "effort", "low", isReloadable: true,
              help:
                "the time that is taken to make files small: low, medium or high; with other ones for single formats: low,avif=medium"
            ),
            ServeSetting(
              "formats", isReloadable: true,
              help:
                "the formats that are written, separated by commas, such as webp,avif; jpg and png always are; all by default"
            ),
            ServeSetting(
              "negotiate", "yes", isReloadable: true,
              help: "whether the field Accept of a request decides about the format where an address does not"
            ),
            ServeSetting(
              "client_hints", "no", isReloadable: true,
              help: "whether the client hints DPR and Width are used"),
            ServeSetting(
              "largest_side", "4096", isReloadable: true,
              help:
                "the largest side that an address may ask for, in pixels, beside padding; without a size a picture keeps its own"
            ),
            ServeSetting(
              "keep_copyright", "no", isReloadable: true,
              help:
                "whether results have the artist and the copyright of their sources where they have no other metadata"
            ),
            ServeSetting(
              "watermark", isReloadable: true,
              help: "the file of the picture that the option watermark draws"),
            ServeSetting("watermark_opacity", "1", isReloadable: true, help: "its opacity, from 0 to 1"),
            ServeSetting(
              "watermark_text_style", isReloadable: true,
              help:
                "how the option watermark_text draws texts, such as font=serif,size=24,color=#fff; without it there are none"
            ),
            ServeSetting(
              "watermark_text_length", "200", isReloadable: true,
              help: "the most characters of such a text"),
            ServeSetting(
              "cards", isReloadable: true,
              help: "a folder of templates: NAME.json is what the address card://NAME?title=Hello draws"),
          ]),
        Group(
          title: "What a picture may cost",
          settings: [
            ServeSetting("source_pixels", "256000000", help: "the most pixels of a source"),
            ServeSetting("source_bytes", "67108864", help: "the most bytes of a source"),
            ServeSetting(
              "source_frames", "1000",
              help: "the most frames of an animation; the others are left out, and 1 shows the first alone"),
            ServeSetting(
              "decoded_bytes", "536870912",
              help:
                "the most bytes of memory that decoding a picture may take, and all decodes at a time together"
            ),
            ServeSetting(
              "processor_time", "5",
              help: "the seconds of processor time that decoding a picture may take; more on a slow machine"),
            ServeSetting(
              "workers",
              help: "how many pictures are decoded or encoded at a time; as many as processors by default"),
            ServeSetting(
              "isolation", "required",
              help: "required, preferred or off: decode in processes of their own"),
          ]),
        Group(
          title: "How long work may take, and how much waits",
          settings: [
            ServeSetting("pending", "256", help: "how many requests may wait; more requests get 503"),
            ServeSetting("timeout", "30", help: "the seconds that an answer may take; then 504"),
            ServeSetting("connections", "32", help: "the most connections to an origin"),
            ServeSetting(
              "downloads", "128",
              help: "the most downloads at a time, from all origins; one origin has half of them at most"),
            ServeSetting("connect_timeout", "5", help: "the seconds to connect to an origin"),
            ServeSetting(
              "idle_timeout",
              help: "the seconds that an origin may be silent; as timeout by default"),
            ServeSetting(
              "download_timeout",
              help: "the seconds for a whole download, with redirects and retries; as timeout by default"),
            ServeSetting(
              "minimum_speed", "1000",
              help: "the bytes a second that an origin must send after its answer has begun; 0 for any speed"),
            ServeSetting("speed_window", "10", help: "the seconds over which minimum_speed is measured"),
            ServeSetting("drain", "20", help: "the seconds that answers have left after SIGTERM"),
          ]),
        Group(
          title: "What clients and caches keep",
          settings: [
            ServeSetting(
              "age", "source",
              help:
                "how long clients may keep a picture: source (as its origin says), a number of seconds whatever it says, or never"
            ),
            ServeSetting("longest_age", "31536000", help: "the most seconds that clients may keep a picture"),
            ServeSetting(
              "failure_age", "60",
              help: "the seconds that clients may keep the answer that a source is missing or is no picture"),
            ServeSetting(
              "allow_origin",
              help: "the value of Access-Control-Allow-Origin, such as *; no field by default"),
            ServeSetting(
              "response_fields",
              help: "NAME: VALUE, several separated by semicolons: fields of every answer"),
          ]),
      ] + operationGroups
  }
#endif
