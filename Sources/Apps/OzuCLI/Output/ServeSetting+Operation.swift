#if canImport(OzuServer)
  extension ServeSetting {
    /// The settings of caches and stores, and of what the service tells of itself.
    static let operationGroups: [Group] = [
      Group(
        title: "Caches of this machine",
        settings: [
          ServeSetting("cache", help: "the folder of the disk cache; by default there is none"),
          ServeSetting("cache_bytes", "1073741824", help: "the most bytes of the disk cache"),
          ServeSetting("memory_bytes", "134217728", help: "the bytes of finished files that memory keeps"),
        ]),
      Group(
        title: "Stores that machines share",
        settings: [
          ServeSetting(
            "redis",
            help:
              "HOST:PORT, redis://HOST:PORT or a socket's path of Redis or Valkey, several separated by commas: files and leases are shared"
          ),
          ServeSetting("redis_user", help: "the user of Redis"),
          ServeSetting("redis_password", isSecret: true, help: "the password of Redis"),
          ServeSetting("redis_deadline", "50", help: "the milliseconds to wait for an answer of Redis"),
          ServeSetting(
            "store_key", isSecret: true,
            help:
              "32 hexadecimal digits or more, the same on all machines: what has no code made with it is no entry of Redis or S3"
          ),
          ServeSetting(
            "s3_endpoint",
            help:
              "the address of S3 or of a compatible service: a shared store below Redis, for files and originals"
          ),
          ServeSetting("s3_bucket", help: "the bucket, unless the address names it"),
          ServeSetting("s3_region", "us-east-1", help: "the region that requests are signed for"),
          ServeSetting("s3_access_key", help: "the name of the key; also read from AWS_ACCESS_KEY_ID"),
          ServeSetting(
            "s3_secret_key", isSecret: true,
            help: "the key that requests are signed with; also read from AWS_SECRET_ACCESS_KEY"),
          ServeSetting(
            "s3_session_token", isSecret: true,
            help: "the token of temporary keys; also read from AWS_SESSION_TOKEN"),
          ServeSetting("s3_deadline", "300", help: "the milliseconds to wait for an answer of S3"),
          ServeSetting("s3_prefix", "ozu/", help: "the beginning of the names of all objects"),
          ServeSetting(
            "s3_ca",
            help: "a PEM file of the trusted authorities for S3; by default those of the system"),
        ]),
      Group(
        title: "What it tells of itself",
        settings: [
          ServeSetting("metrics", "yes", help: "whether /metrics is answered; at status_listen it always is"),
          ServeSetting("log", "yes", help: "whether each request is a line on standard output"),
          ServeSetting("log_format", "json", help: "json (an object a line) or text (for people)"),
          ServeSetting(
            "log_level", "info", isReloadable: true,
            help:
              "which requests are logged: info (all), warning (refused and failed ones) or error (those with a status from 500 on)"
          ),
          ServeSetting(
            "forwarded_for", "no",
            help:
              "whether the log has the last address of X-Forwarded-For as that of the client: where only a proxy can connect"
          ),
          ServeSetting(
            "continue_traces", "no",
            help: "whether requests to origins continue the trace of traceparent"),
          ServeSetting(
            "traces",
            help:
              "the address of a collector that gets a span for each request, as OTLP in JSON: http://127.0.0.1:4318/v1/traces"
          ),
          ServeSetting(
            "traces_share", "1",
            help: "the part of the requests without traceparent that have spans, from 0 to 1"),
          ServeSetting("traces_name", "ozu", help: "the name of the service in traces"),
          ServeSetting(
            "traces_fields", isSecret: true,
            help: "NAME: VALUE, several separated by semicolons: fields for the collector, as a login"),
        ]),
    ]
  }
#endif
