#if canImport(OzuServer)
  extension ServeSetting {
    /// The settings of caches and stores, and of what the service tells of itself.
    static let operationGroups: [Group] = [
      Group(
        title: "Caches of this machine",
        settings: [
          ServeSetting(
            name: "cache", standard: "",
            help: "the folder of the disk cache; by default there is none"),
          ServeSetting(
            name: "cache_bytes", standard: "1073741824",
            help: "the most bytes of the disk cache"),
          ServeSetting(
            name: "memory_bytes", standard: "134217728",
            help: "the bytes of finished files that memory keeps"),
        ]),
      Group(
        title: "Stores that machines share",
        settings: [
          ServeSetting(
            name: "redis", standard: "",
            help:
              "HOST:PORT, redis://HOST:PORT or a socket's path of Redis or Valkey, several separated by commas: files and leases are shared"
          ),
          ServeSetting(
            name: "redis_user", standard: "",
            help: "the user of Redis"),
          ServeSetting(
            name: "redis_password", standard: "", isSecret: true,
            help: "the password of Redis"),
          ServeSetting(
            name: "redis_deadline", standard: "50",
            help: "the milliseconds to wait for an answer of Redis"),
          ServeSetting(
            name: "store_key", standard: "", isSecret: true,
            help:
              "32 hexadecimal digits or more, the same on all machines: what has no code made with it is no entry of Redis or S3"
          ),
          ServeSetting(
            name: "s3_endpoint", standard: "",
            help:
              "the address of S3 or of a compatible service: a shared store below Redis, for files and originals"
          ),
          ServeSetting(
            name: "s3_bucket", standard: "",
            help: "the bucket, unless the address names it"),
          ServeSetting(
            name: "s3_region", standard: "us-east-1",
            help: "the region that requests are signed for"),
          ServeSetting(
            name: "s3_access_key", standard: "",
            help: "the name of the key; also read from AWS_ACCESS_KEY_ID"),
          ServeSetting(
            name: "s3_secret_key", standard: "", isSecret: true,
            help: "the key that requests are signed with; also read from AWS_SECRET_ACCESS_KEY"),
          ServeSetting(
            name: "s3_session_token", standard: "", isSecret: true,
            help: "the token of temporary keys; also read from AWS_SESSION_TOKEN"),
          ServeSetting(
            name: "s3_deadline", standard: "300",
            help: "the milliseconds to wait for an answer of S3"),
          ServeSetting(
            name: "s3_prefix", standard: "ozu/",
            help: "the beginning of the names of all objects"),
          ServeSetting(
            name: "s3_ca", standard: "",
            help: "a PEM file of the trusted authorities for S3; by default those of the system"),
        ]),
      Group(
        title: "What it tells of itself",
        settings: [
          ServeSetting(
            name: "metrics", standard: "yes",
            help: "whether /metrics is answered"),
          ServeSetting(
            name: "log", standard: "yes",
            help: "whether each request is a line on standard output"),
          ServeSetting(
            name: "log_format", standard: "json",
            help: "json (an object a line) or text (for people)"),
          ServeSetting(
            name: "log_level", standard: "info", isReloadable: true,
            help:
              "which requests are logged: info (all), warning (refused and failed ones) or error (those with a status from 500 on)"
          ),
          ServeSetting(
            name: "forwarded_for", standard: "no",
            help:
              "whether the log has the last address of X-Forwarded-For as that of the client: where only a proxy can connect"
          ),
          ServeSetting(
            name: "continue_traces", standard: "no",
            help: "whether requests to origins continue the trace of traceparent"),
          ServeSetting(
            name: "traces", standard: "",
            help:
              "the address of a collector that gets a span for each request, as OTLP in JSON: http://127.0.0.1:4318/v1/traces"
          ),
          ServeSetting(
            name: "traces_share", standard: "1",
            help: "the part of the requests without traceparent that have spans, from 0 to 1"),
          ServeSetting(
            name: "traces_name", standard: "ozu",
            help: "the name of the service in traces"),
          ServeSetting(
            name: "traces_fields", standard: "", isSecret: true,
            help: "NAME: VALUE, several separated by semicolons: fields for the collector, as a login"),
        ]),
    ]
  }
#endif
