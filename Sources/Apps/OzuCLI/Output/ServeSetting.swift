#if canImport(OzuServer)
  import Foundation

  /// A setting of `ozu serve`, by its name in a file. In the environment the name is in capitals after `OZU_`.
  struct ServeSetting {
    let name: String
    let standard: String
    /// Whether the value is, or may have, a password.
    let isSecret: Bool
    /// Whether SIGHUP has it read again.
    let isReloadable: Bool
    let help: String

    /// - Parameters:
    ///   - head: its name, its value by default behind an equals sign, and behind semicolons what else it is.
    ///   - help: what it is for.
    private init(_ head: String, _ help: String) {
      let parts = head.split(separator: "; ").map(String.init)
      let sides = parts[0].split(separator: " = ").map(String.init)
      (name, standard, self.help) = (sides[0], sides.count == 2 ? sides[1] : "", help)
      (isSecret, isReloadable) = (parts.contains("secret"), parts.contains("reloadable"))
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

    static let groups: [Group] = table.split(separator: "# ").map { group in
      let lines = group.split(separator: "\n").map { $0.trimmingCharacters(in: .whitespaces) }
      return Group(
        title: lines[0],
        settings: stride(from: 1, to: lines.count, by: 2).map { ServeSetting(lines[$0], lines[$0 + 1]) })
    }

    private static let table = """
      # Where it listens
      listen = 127.0.0.1:8080
        the address and the port to listen at; unix:PATH for a socket; systemd for the socket that systemd passes
      socket_mode = 660
        the permissions of the socket of unix:PATH, in octal digits
      status_listen
        a second address, as of listen, that answers /health, /ready and /metrics alone; /metrics is not answered at listen then
      path_prefix
        the beginning of all addresses of pictures, such as /pictures; it is not signed
      clients = 4096
        the most connections of clients at a time, within half of the files that may be open
      head_timeout = 10
        the seconds that a client has to send a request
      keep_alive = 60
        the seconds that a connection may wait for its next request
      write_timeout = 30
        the seconds that a client may take no byte of an answer
      # Who may ask for what
      keys; secret; reloadable
        KEY:SALT in hexadecimal digits, several separated by commas: the first signs, all are accepted
      keys_file; reloadable
        a file of such pairs, one a line, after those of keys; it is read again at SIGHUP
      signature_bytes = 32; reloadable
        the bytes of a signature in an address, 16 to 32
      sources; reloadable
        the beginnings of the allowed addresses of pictures, separated by commas; any address by default
      hosts; reloadable
        the hosts that redirects may lead to, beside those of sources; by default only the addresses of sources
      private_networks = no; reloadable
        whether hosts of private networks may be asked
      presets; reloadable
        NAME=OPTIONS, several separated by semicolons; one may name others before it
      only_presets = no; reloadable
        whether addresses may only name presets
      allowed_options; reloadable
        the names of the options that addresses may have, separated by commas, long and short ones; all by default
      raw = yes; reloadable
        whether the option raw may have a source sent as it is, with all its metadata
      info = picture; reloadable
        what /info/… tells of a source: none, picture (its file, size and colours), metadata (also EXIF data without the place) or everything
      playground = no
        whether / is a page to try options on, for users who have its token
      playground_token; secret
        16 characters or more; by default one is made and printed, if only this machine can connect
      # Where pictures come from
      base_address; reloadable
        the address, with a slash at its end, that pictures without a scheme in their address are below
      rewrites; reloadable
        BEGINNING=ADDRESS/, several separated by commas: beginnings that stand for others; sources applies to the result
      origin_fields; secret; reloadable
        ADDRESS NAME: VALUE, several separated by semicolons: fields for addresses with this beginning, as a password; no redirect gets them
      folders
        NAME=PATH, several separated by commas: folders whose pictures are local://NAME/…; without a name local:///…
      folder_age = 60
        the seconds that a picture of a folder is served without a look at its file
      buckets; reloadable
        the buckets of S3 whose pictures are s3://BUCKET/KEY, separated by commas
      buckets_endpoint; reloadable
        the address of the service of these buckets; that of Amazon by default
      buckets_region = us-east-1; reloadable
        their region
      buckets_style; reloadable
        host or path: where addresses have the bucket; by default host at Amazon, path elsewhere
      buckets_access_key; reloadable
        the name of their key; also read from AWS_ACCESS_KEY_ID; without one they are public
      buckets_secret_key; secret; reloadable
        their key; also read from AWS_SECRET_ACCESS_KEY
      buckets_session_token; secret; reloadable
        the token of temporary keys; also read from AWS_SESSION_TOKEN
      buckets_ca; reloadable
        a PEM file of the trusted authorities for these buckets; by default those of the system
      fallback
        the file of the picture that is served where a source is missing or cannot be read
      fallback_status
        the status of an answer with it, such as 200; by default that of the failure
      fallback_age = 60
        the seconds that clients may keep it
      # How results look
      quality = 80; reloadable
        the compression quality when an address names none; with other ones for single formats: 80,avif=60
      effort = low; reloadable
        the time that is taken to make files small: low, medium or high; with other ones for single formats: low,avif=medium
      formats; reloadable
        the formats that are written, separated by commas, such as webp,avif; jpg and png always are; all by default
      negotiate = yes; reloadable
        whether the field Accept of a request decides about the format where an address does not
      client_hints = no; reloadable
        whether the client hints DPR and Width are used
      largest_side = 4096; reloadable
        the largest side that an address may ask for, in pixels, beside padding; without a size a picture keeps its own
      keep_copyright = no; reloadable
        whether results have the artist and the copyright of their sources where they have no other metadata
      watermark; reloadable
        the file of the picture that the option watermark draws
      watermark_opacity = 1; reloadable
        its opacity, from 0 to 1
      watermark_text_style; reloadable
        how the option watermark_text draws texts, such as font=serif,size=24,color=#fff; without it there are none
      watermark_text_length = 200; reloadable
        the most characters of such a text
      cards; reloadable
        a folder of templates: NAME.json is what the address card://NAME?title=Hello draws
      # What a picture may cost
      source_pixels = 256000000
        the most pixels of a source
      source_bytes = 67108864
        the most bytes of a source
      source_frames = 1000
        the most frames of an animation; the others are left out, and 1 shows the first alone
      decoded_bytes = 536870912
        the most bytes of memory that decoding a picture may take, and all decodes at a time together
      processor_time = 5
        the seconds of processor time that decoding a picture may take; more on a slow machine
      workers
        how many pictures are decoded or encoded at a time; as many as processors by default
      isolation = required
        required, preferred or off: decode in processes of their own
      # How long work may take, and how much waits
      pending = 256
        how many requests may wait; more requests get 503
      timeout = 30
        the seconds that an answer may take; then 504
      connections = 32
        the most connections to an origin
      downloads = 128
        the most downloads at a time, from all origins; one origin has half of them at most
      connect_timeout = 5
        the seconds to connect to an origin
      idle_timeout
        the seconds that an origin may be silent; as timeout by default
      download_timeout
        the seconds for a whole download, with redirects and retries; as timeout by default
      minimum_speed = 1000
        the bytes a second that an origin must send after its answer has begun; 0 for any speed
      speed_window = 10
        the seconds over which minimum_speed is measured
      drain = 20
        the seconds that answers have left after SIGTERM
      # What clients and caches keep
      age = source
        how long clients may keep a picture: source (as its origin says), a number of seconds whatever it says, or never
      longest_age = 31536000
        the most seconds that clients may keep a picture
      failure_age = 60
        the seconds that clients may keep the answer that an origin has no such source, or that it is no picture
      allow_origin
        the value of Access-Control-Allow-Origin, such as *; no field by default
      response_fields
        NAME: VALUE, several separated by semicolons: fields of every answer
      # Caches of this machine
      cache
        the folder of the disk cache; by default there is none
      cache_bytes = 1073741824
        the most bytes of the disk cache
      memory_bytes = 134217728
        the bytes of finished files that memory keeps
      # Stores that machines share
      redis
        HOST:PORT, redis://HOST:PORT or a socket's path of Redis or Valkey, several separated by commas: files and leases are shared
      redis_user
        the user of Redis
      redis_password; secret
        the password of Redis
      redis_deadline = 50
        the milliseconds to wait for an answer of Redis
      store_key; secret
        32 hexadecimal digits or more, the same on all machines: what has no code made with it is no entry of Redis or S3
      s3_endpoint
        the address of S3 or of a compatible service: a shared store below Redis, for files and originals
      s3_bucket
        the bucket, unless the address names it
      s3_region = us-east-1
        the region that requests are signed for
      s3_access_key
        the name of the key; also read from AWS_ACCESS_KEY_ID
      s3_secret_key; secret
        the key that requests are signed with; also read from AWS_SECRET_ACCESS_KEY
      s3_session_token; secret
        the token of temporary keys; also read from AWS_SESSION_TOKEN
      s3_deadline = 300
        the milliseconds to wait for an answer of S3
      s3_prefix = ozu/
        the beginning of the names of all objects
      s3_ca
        a PEM file of the trusted authorities for S3; by default those of the system
      # What it tells of itself
      metrics = yes
        whether /metrics is answered; at status_listen it always is
      log = yes
        whether each request is a line on standard output
      log_format = json
        json (an object a line) or text (for people)
      log_level = info; reloadable
        which requests are logged: info (all), warning (refused and failed ones) or error (those with a status from 500 on)
      forwarded_for = no
        whether the log has the last address of X-Forwarded-For as that of the client: where only a proxy can connect
      continue_traces = no
        whether requests to origins continue the trace of traceparent
      traces
        the address of a collector that gets a span for each request, as OTLP in JSON: http://127.0.0.1:4318/v1/traces
      traces_share = 1
        the part of the requests without traceparent that have spans, from 0 to 1
      traces_name = ozu
        the name of the service in traces
      traces_fields; secret
        NAME: VALUE, several separated by semicolons: fields for the collector, as a login
      """
  }
#endif
