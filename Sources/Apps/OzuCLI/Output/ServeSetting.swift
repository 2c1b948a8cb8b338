#if canImport(OzuServer)
  /// A setting of `ozu serve`, by its name in a file. In the environment the name is in capitals after `OZU_`.
  struct ServeSetting {
    let name: String
    let standard: String
    /// Whether the value is, or may have, a password.
    var isSecret = false
    /// Whether SIGHUP has it read again.
    var isReloadable = false
    let help: String

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
              name: "listen", standard: "127.0.0.1:8080",
              help:
                "the address and the port to listen at; unix:PATH for a socket; systemd for the socket that systemd passes"
            ),
            ServeSetting(
              name: "socket_mode", standard: "660",
              help: "the permissions of the socket of unix:PATH, in octal digits"),
            ServeSetting(
              name: "status_listen", standard: "",
              help:
                "a second address, as of listen, that answers /health, /ready and /metrics alone; /metrics is not answered at listen then"
            ),
            ServeSetting(
              name: "path_prefix", standard: "",
              help: "the beginning of all addresses of pictures, such as /pictures; it is not signed"),
            ServeSetting(
              name: "clients", standard: "4096",
              help: "the most connections of clients at a time"),
            ServeSetting(
              name: "head_timeout", standard: "10",
              help: "the seconds that a client has to send a request"),
            ServeSetting(
              name: "keep_alive", standard: "60",
              help: "the seconds that a connection may wait for its next request"),
            ServeSetting(
              name: "write_timeout", standard: "30",
              help: "the seconds that a client may take no byte of an answer"),
          ]),
        Group(
          title: "Who may ask for what",
          settings: [
            ServeSetting(
              name: "keys", standard: "", isSecret: true, isReloadable: true,
              help:
                "KEY:SALT in hexadecimal digits, several separated by commas: the first signs, all are accepted"
            ),
            ServeSetting(
              name: "keys_file", standard: "", isReloadable: true,
              help: "a file of such pairs, one a line, after those of keys; it is read again at SIGHUP"),
            ServeSetting(
              name: "signature_bytes", standard: "32", isReloadable: true,
              help: "the bytes of a signature in an address, 16 to 32"),
            ServeSetting(
              name: "sources", standard: "", isReloadable: true,
              help:
                "the beginnings of the allowed addresses of pictures, separated by commas; any address by default"
            ),
            ServeSetting(
              name: "hosts", standard: "", isReloadable: true,
              help:
                "the hosts that redirects may lead to, beside those of sources; by default only the addresses of sources"
            ),
            ServeSetting(
              name: "private_networks", standard: "no", isReloadable: true,
              help: "whether hosts of private networks may be asked"),
            ServeSetting(
              name: "presets", standard: "", isReloadable: true,
              help: "NAME=OPTIONS, several separated by semicolons; one may name others before it"),
            ServeSetting(
              name: "only_presets", standard: "no", isReloadable: true,
              help: "whether addresses may only name presets"),
            ServeSetting(
              name: "allowed_options", standard: "", isReloadable: true,
              help:
                "the names of the options that addresses may have, separated by commas, long and short ones; all by default"
            ),
            ServeSetting(
              name: "raw", standard: "yes", isReloadable: true,
              help: "whether the option raw may have a source sent as it is, with all its metadata"),
            ServeSetting(
              name: "info", standard: "picture", isReloadable: true,
              help:
                "what /info/… tells of a source: none, picture (its file, size and colours), metadata (also EXIF data without the place) or everything"
            ),
            ServeSetting(
              name: "playground", standard: "no",
              help: "whether / is a page to try options on, for users who have its token"),
            ServeSetting(
              name: "playground_token", standard: "", isSecret: true,
              help:
                "16 characters or more; by default one is made and printed, if only this machine can connect"),
          ]),
        Group(
          title: "Where pictures come from",
          settings: [
            ServeSetting(
              name: "base_address", standard: "", isReloadable: true,
              help:
                "the address, with a slash at its end, that pictures without a scheme in their address are below"
            ),
            ServeSetting(
              name: "rewrites", standard: "", isReloadable: true,
              help:
                "BEGINNING=ADDRESS/, several separated by commas: beginnings that stand for others; sources applies to the result"
            ),
            ServeSetting(
              name: "origin_fields", standard: "", isSecret: true, isReloadable: true,
              help:
                "ADDRESS NAME: VALUE, several separated by semicolons: fields for addresses with this beginning, as a password; no redirect gets them"
            ),
            ServeSetting(
              name: "folders", standard: "",
              help:
                "NAME=PATH, several separated by commas: folders whose pictures are local://NAME/…; without a name local:///…"
            ),
            ServeSetting(
              name: "folder_age", standard: "60",
              help: "the seconds that a picture of a folder is served without a look at its file"),
            ServeSetting(
              name: "buckets", standard: "", isReloadable: true,
              help: "the buckets of S3 whose pictures are s3://BUCKET/KEY, separated by commas"),
            ServeSetting(
              name: "buckets_endpoint", standard: "", isReloadable: true,
              help: "the address of the service of these buckets; that of Amazon by default"),
            ServeSetting(
              name: "buckets_region", standard: "us-east-1", isReloadable: true,
              help: "their region"),
            ServeSetting(
              name: "buckets_style", standard: "", isReloadable: true,
              help: "host or path: where addresses have the bucket; by default host at Amazon, path elsewhere"
            ),
            ServeSetting(
              name: "buckets_access_key", standard: "", isReloadable: true,
              help: "the name of their key; also read from AWS_ACCESS_KEY_ID; without one they are public"),
            ServeSetting(
              name: "buckets_secret_key", standard: "", isSecret: true, isReloadable: true,
              help: "their key; also read from AWS_SECRET_ACCESS_KEY"),
            ServeSetting(
              name: "buckets_session_token", standard: "", isSecret: true, isReloadable: true,
              help: "the token of temporary keys; also read from AWS_SESSION_TOKEN"),
            ServeSetting(
              name: "buckets_ca", standard: "", isReloadable: true,
              help: "a PEM file of the trusted authorities for these buckets; by default those of the system"),
            ServeSetting(
              name: "fallback", standard: "",
              help: "the file of the picture that is served where a source is missing or cannot be read"),
            ServeSetting(
              name: "fallback_status", standard: "",
              help: "the status of an answer with it, such as 200; by default that of the failure"),
            ServeSetting(
              name: "fallback_age", standard: "60",
              help: "the seconds that clients may keep it"),
          ]),
        Group(
          title: "How results look",
          settings: [
            ServeSetting(
              name: "quality", standard: "80", isReloadable: true,
              help:
                "the compression quality when an address names none; with other ones for single formats: 80,avif=60"
            ),
            ServeSetting(
              name: "effort", standard: "low", isReloadable: true,
              help:
                "the time that is taken to make files small: low, medium or high; with other ones for single formats: low,avif=medium"
            ),
            ServeSetting(
              name: "formats", standard: "", isReloadable: true,
              help:
                "the formats that are written, separated by commas, such as webp,avif; jpg and png always are; all by default"
            ),
            ServeSetting(
              name: "negotiate", standard: "yes", isReloadable: true,
              help: "whether the field Accept of a request decides about the format where an address does not"
            ),
            ServeSetting(
              name: "client_hints", standard: "no", isReloadable: true,
              help: "whether the client hints DPR and Width are used"),
            ServeSetting(
              name: "largest_side", standard: "4096", isReloadable: true,
              help: "the largest side of a result, in pixels"),
            ServeSetting(
              name: "keep_copyright", standard: "no", isReloadable: true,
              help:
                "whether results have the artist and the copyright of their sources where they have no other metadata"
            ),
            ServeSetting(
              name: "watermark", standard: "", isReloadable: true,
              help: "the file of the picture that the option watermark draws"),
            ServeSetting(
              name: "watermark_opacity", standard: "1", isReloadable: true,
              help: "its opacity, from 0 to 1"),
            ServeSetting(
              name: "watermark_text_style", standard: "", isReloadable: true,
              help:
                "how the option watermark_text draws texts, such as font=serif,size=24,color=#fff; without it there are none"
            ),
            ServeSetting(
              name: "watermark_text_length", standard: "200", isReloadable: true,
              help: "the most characters of such a text"),
            ServeSetting(
              name: "cards", standard: "", isReloadable: true,
              help: "a folder of templates: NAME.json is what the address card://NAME?title=Hello draws"),
          ]),
        Group(
          title: "What a picture may cost",
          settings: [
            ServeSetting(
              name: "source_pixels", standard: "256000000",
              help: "the most pixels of a source"),
            ServeSetting(
              name: "source_bytes", standard: "67108864",
              help: "the most bytes of a source"),
            ServeSetting(
              name: "source_frames", standard: "1000",
              help: "the most frames of an animation; the others are left out, and 1 shows the first alone"),
            ServeSetting(
              name: "decoded_bytes", standard: "536870912",
              help:
                "the most bytes of memory that decoding a picture may take, and all decodes at a time together"
            ),
            ServeSetting(
              name: "processor_time", standard: "5",
              help: "the seconds of processor time that decoding a picture may take; more on a slow machine"),
            ServeSetting(
              name: "workers", standard: "",
              help: "how many pictures are decoded or encoded at a time; as many as processors by default"),
            ServeSetting(
              name: "isolation", standard: "required",
              help: "required, preferred or off: decode in processes of their own"),
          ]),
        Group(
          title: "How long work may take, and how much waits",
          settings: [
            ServeSetting(
              name: "pending", standard: "256",
              help: "how many requests may wait; more requests get 503"),
            ServeSetting(
              name: "timeout", standard: "30",
              help: "the seconds that an answer may take; then 504"),
            ServeSetting(
              name: "connections", standard: "32",
              help: "the most connections to an origin"),
            ServeSetting(
              name: "downloads", standard: "128",
              help: "the most downloads at a time, from all origins; one origin has half of them at most"),
            ServeSetting(
              name: "connect_timeout", standard: "5",
              help: "the seconds to connect to an origin"),
            ServeSetting(
              name: "idle_timeout", standard: "",
              help: "the seconds that an origin may be silent; as timeout by default"),
            ServeSetting(
              name: "download_timeout", standard: "",
              help: "the seconds for a whole download, with redirects and retries; as timeout by default"),
            ServeSetting(
              name: "minimum_speed", standard: "1000",
              help: "the bytes a second that an origin must send after its answer has begun; 0 for any speed"),
            ServeSetting(
              name: "speed_window", standard: "10",
              help: "the seconds over which minimum_speed is measured"),
            ServeSetting(
              name: "drain", standard: "20",
              help: "the seconds that answers have left after SIGTERM"),
          ]),
        Group(
          title: "What clients and caches keep",
          settings: [
            ServeSetting(
              name: "age", standard: "source",
              help:
                "how long clients may keep a picture: source (as its origin says), a number of seconds whatever it says, or never"
            ),
            ServeSetting(
              name: "longest_age", standard: "31536000",
              help: "the most seconds that clients may keep a picture"),
            ServeSetting(
              name: "failure_age", standard: "60",
              help: "the seconds that clients may keep the answer that a source is missing or is no picture"),
            ServeSetting(
              name: "allow_origin", standard: "",
              help: "the value of Access-Control-Allow-Origin, such as *; no field by default"),
            ServeSetting(
              name: "response_fields", standard: "",
              help: "NAME: VALUE, several separated by semicolons: fields of every answer"),
          ]),
      ] + operationGroups
  }
#endif
