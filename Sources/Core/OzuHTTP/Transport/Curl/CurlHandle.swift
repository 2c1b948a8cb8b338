#if os(Linux)
  import CCurl
  import OzuBase

  /// A libcurl easy handle with the data that must live as long as its options: the error text and the header list.
  ///
  /// Handles are pooled, and only the loop's thread uses them. Options that all requests of a client share are set
  /// once. A plain GET changes only the address, the fields and the transfer, and then the handle is used again as
  /// it is. After anything else (another method, credentials in the address) it is reset before it is used again.
  final class CurlHandle {
    let raw: UnsafeMutableRawPointer
    let configuration: HTTPClientConfiguration
    /// Whether an option of a single request is set, or libcurl may remember something about it.
    private var needsReset = true
    /// The transfer whose current hop uses the handle; nil between two. libcurl's callbacks get the handle and find
    /// the transfer here.
    private(set) var transfer: CurlTransfer?
    /// Options that are set until the next reset; nil means libcurl's default.
    private var offersHTTP2: Bool?
    private var connectMilliseconds: Int?
    private let errorText: UnsafeMutablePointer<CChar>
    /// The fields of the current request.
    private var headerList: UnsafeMutablePointer<curl_slist>?

    init?(configuration: HTTPClientConfiguration) {
      guard let raw = ozu_curl_easy_init() else { return nil }
      self.raw = raw
      self.configuration = configuration
      errorText = .allocate(capacity: Int(CURL_ERROR_SIZE))
      errorText.initialize(repeating: 0, count: Int(CURL_ERROR_SIZE))
    }

    deinit {
      ozu_curl_easy_cleanup(raw)
      ozu_curl_slist_free_all(headerList)
      errorText.deallocate()
    }

    /// The message of libcurl about the failure, or its general text for the code.
    func message(for code: CURLcode) -> String {
      let text = String(cString: errorText)
      return text.isEmpty ? String(cString: ozu_curl_easy_strerror(code)) : text
    }

    /// Releases the transfer. The multi handle keeps connections and resolved names.
    func reset() {
      transfer = nil
      if needsReset { ozu_curl_easy_reset(raw) }
      if headerList != nil {
        _ = ozu_curl_set_header_list(raw, nil)
        ozu_curl_slist_free_all(headerList)
        headerList = nil
      }
      errorText[0] = 0
    }

    /// Sets every option of one hop, and keeps the transfer until `reset`.
    func configure(for transfer: CurlTransfer) {
      self.transfer = transfer
      if needsReset { setCommonOptions() }
      needsReset =
        transfer.hop.method != .get || transfer.uploadByteCount != nil || transfer.hop.url.user != nil
        || transfer.hop.signature != nil
      set(CURLOPT_URL, transfer.hop.url.absoluteString)
      setConnectTimeout(max(1, transfer.hop.timeouts.connect.wholeMilliseconds))
      setVersion(isSecure: transfer.origin.isSecure)
      setMessage(transfer)
      if let signature = transfer.hop.signature { sign(signature) }
    }

    private func setCallbacks() {
      // This object lives longer than libcurl's handle, which `deinit` frees.
      let context = Unmanaged.passUnretained(self).toOpaque()
      _ = ozu_curl_set_pointer(raw, CURLOPT_PRIVATE, context)
      _ = ozu_curl_set_on_body(raw, onBody, context)
      _ = ozu_curl_set_on_header(raw, onHeaderLine, context)
      _ = ozu_curl_set_on_connected(raw, onConnected, context)
      _ = ozu_curl_set_on_socket(raw, onSocketOpen, context)
    }

    private func setCommonOptions() {
      (offersHTTP2, connectMilliseconds) = (nil, nil)
      setCallbacks()
      set(CURLOPT_ERRORBUFFER, errorText)
      set(CURLOPT_NOSIGNAL, 1)
      set(CURLOPT_SUPPRESS_CONNECT_HEADERS, 1)
      // Otherwise libcurl refuses transfer codings that it does not know; browsers accept such a body as it is. Chunks
      // come as they were sent, for `ChunkedBody`.
      set(CURLOPT_HTTP_CONTENT_DECODING, 0)
      set(CURLOPT_HTTP_TRANSFER_DECODING, 0)
      // Less than the 64 KB at which glibc consolidates its whole heap when a block is freed. libcurl frees this
      // buffer after each transfer.
      set(CURLOPT_BUFFERSIZE, 32 << 10)
      _ = ozu_curl_allow_only_http(raw)
      ozu_curl_never_wait_for_resolver(raw)
      if let userAgent = configuration.userAgent { set(CURLOPT_USERAGENT, userAgent) }
      // A proxy would connect instead of this client, to addresses that this client cannot check.
      let isGuarded = configuration.networkGuard != .off
      switch isGuarded ? .none : configuration.proxy {
      case .environment: break
      case .none: set(CURLOPT_PROXY, "")
      case .url(let url):
        set(CURLOPT_PROXY, url.absoluteString)
        set(CURLOPT_NOPROXY, "")
      }
      set(CURLOPT_SSLVERSION, Int(CURL_SSLVERSION_TLSv1_2))
      setAuthorities()
    }

    private func setAuthorities() {
      switch configuration.certificateAuthorities {
      case .file(let path):
        set(CURLOPT_CAINFO, path)
        _ = ozu_curl_set_string(raw, CURLOPT_CAPATH, nil)
      case .system:
        let named = configuration.environmentCertificates
        if let file = named.file { set(CURLOPT_CAINFO, file) }
        if let directory = named.directory { set(CURLOPT_CAPATH, directory) }
      }
    }

    // HTTP/2 only by ALPN, never in clear text. With PIPEWAIT, the handshake decides whether requests share the
    // connection. Without TLS they would wait for the first response to learn that they cannot.
    private func setVersion(isSecure: Bool) {
      let isOffered = isSecure && configuration.isHTTP2Enabled
      guard offersHTTP2 != isOffered else { return }
      offersHTTP2 = isOffered
      set(CURLOPT_HTTP_VERSION, Int(isOffered ? CURL_HTTP_VERSION_2TLS : CURL_HTTP_VERSION_1_1))
      set(CURLOPT_PIPEWAIT, isOffered ? 1 : 0)
    }

    private func setConnectTimeout(_ milliseconds: Int) {
      guard connectMilliseconds != milliseconds else { return }
      connectMilliseconds = milliseconds
      set(CURLOPT_CONNECTTIMEOUT_MS, milliseconds)
    }

    func set(_ option: CURLoption, _ value: Int) {
      _ = ozu_curl_set_long(raw, option, value)
    }

    func set(_ option: CURLoption, _ value: String) {
      _ = ozu_curl_set_string(raw, option, value)
    }

    private func set(_ option: CURLoption, _ value: UnsafeMutableRawPointer) {
      _ = ozu_curl_set_pointer(raw, option, value)
    }
  }

  // libcurl's callbacks. They run on the loop's thread inside libcurl's functions. Their context is the handle,
  // which outlives libcurl's handle, so the unretained cast is safe.

  func curlTransfer(_ context: UnsafeMutableRawPointer?) -> CurlTransfer? {
    context.flatMap { Unmanaged<CurlHandle>.fromOpaque($0).takeUnretainedValue().transfer }
  }

  private func onHeaderLine(
    _ bytes: UnsafeMutablePointer<CChar>?, _ size: Int, _ count: Int, _ context: UnsafeMutableRawPointer?
  ) -> Int {
    let line = UnsafeRawBufferPointer(start: bytes, count: size * count)
    // A count other than the given one aborts the transfer.
    return curlTransfer(context)?.takeHeaderLine(line) == true ? line.count : (line.isEmpty ? 1 : 0)
  }

  private func onBody(
    _ bytes: UnsafeMutablePointer<CChar>?, _ size: Int, _ count: Int, _ context: UnsafeMutableRawPointer?
  ) -> Int {
    let piece = UnsafeRawBufferPointer(start: bytes, count: size * count)
    guard !piece.isEmpty, let transfer = curlTransfer(context) else { return 0 }
    return switch transfer.takeBody(piece) {
    case .taken: piece.count
    // libcurl keeps the bytes, stops reading, and passes the same bytes again after it is resumed.
    case .paused: Int(CURL_WRITEFUNC_PAUSE)
    case .failed: 0
    }
  }

  private func onConnected(
    _ context: UnsafeMutableRawPointer?, _ remoteAddress: UnsafeMutablePointer<CChar>?,
    _ localAddress: UnsafeMutablePointer<CChar>?, _ remotePort: Int32, _ localPort: Int32
  ) -> Int32 {
    curlTransfer(context)?.timing.noteActivity(at: .now)
    return Int32(CURL_PREREQFUNC_OK)
  }

  private func onSocketOpen(
    _ context: UnsafeMutableRawPointer?, _ purpose: curlsocktype,
    _ address: UnsafeMutablePointer<curl_sockaddr>?
  ) -> curl_socket_t {
    guard let address, let offset = MemoryLayout<curl_sockaddr>.offset(of: \.addr) else {
      return CURL_SOCKET_BAD
    }
    // libcurl passes a whole address of `addrlen` bytes; the declared type has only its first 16.
    let bytes = UnsafeRawBufferPointer(
      start: UnsafeRawPointer(address).advanced(by: offset), count: Int(address.pointee.addrlen))
    if let owner = curlTransfer(context) {
      owner.connectingPort = NetworkAddress.port(sockaddr: bytes)
      if let isAllowed = owner.addressFilter {
        guard let target = NetworkAddress(sockaddr: bytes), isAllowed(target) else {
          owner.refusedAddress = NetworkAddress(sockaddr: bytes)?.description ?? "an unknown address"
          return CURL_SOCKET_BAD
        }
      }
    }
    // Close-on-exec: a process that the app starts must not keep the connections open.
    let kind = address.pointee.socktype | Int32(SOCK_CLOEXEC.rawValue)
    let descriptor = socket(address.pointee.family, kind, address.pointee.protocol)
    return descriptor >= 0 ? descriptor : CURL_SOCKET_BAD
  }

  extension NetworkAddress {
    /// The address in a `sockaddr`; nil for families other than IPv4 and IPv6.
    init?(sockaddr bytes: UnsafeRawBufferPointer) {
      guard bytes.count >= MemoryLayout<sa_family_t>.size else { return nil }
      let family = Int32(bytes.loadUnaligned(as: sa_family_t.self))
      // Before an IPv4 address come the family and the port, before an IPv6 address also the flow label.
      switch family {
      case AF_INET where bytes.count >= 8: self.init(bytes: Array(bytes[4..<8]))
      case AF_INET6 where bytes.count >= 24: self.init(bytes: Array(bytes[8..<24]))
      default: return nil
      }
    }

    /// The port in a `sockaddr` of IPv4 or IPv6.
    static func port(sockaddr bytes: UnsafeRawBufferPointer) -> Int? {
      guard NetworkAddress(sockaddr: bytes) != nil else { return nil }
      return Int(bytes[2]) << 8 | Int(bytes[3])
    }
  }

  /// Sets the method, the fields, the signature and the body of a request.
  extension CurlHandle {
    func setMessage(_ transfer: CurlTransfer) {
      let request = transfer.hop
      // UPLOAD sends any body, without the form type and the size limits of POST. Then the method is renamed.
      if request.method == .head {
        set(CURLOPT_NOBODY, 1)
      } else if let count = transfer.uploadByteCount {
        set(CURLOPT_UPLOAD, 1)
        _ = ozu_curl_set_offset(raw, CURLOPT_INFILESIZE_LARGE, curl_off_t(count))
        _ = ozu_curl_set_on_upload(raw, onUpload, onUploadSeek, Unmanaged.passUnretained(self).toOpaque())
        set(CURLOPT_CUSTOMREQUEST, request.method.rawValue)
      } else if request.method != .get {
        set(CURLOPT_CUSTOMREQUEST, request.method.rawValue)
      }
      setFields(request)
    }

    // User and password are separate options, because an access key may contain a colon. libcurl uses them as the
    // keys.
    func sign(_ signature: AWSSignature) {
      set(CURLOPT_AWS_SIGV4, "aws:amz:\(signature.region):\(signature.service)")
      set(CURLOPT_USERNAME, signature.accessKey)
      set(CURLOPT_PASSWORD, signature.secretKey)
      // The field "Expect" cannot be removed (`setFields`), but libcurl need not wait for the answer to it.
      set(CURLOPT_EXPECT_100_TIMEOUT_MS, 1)
    }

    private static let offerLine = "Accept-Encoding: \(ContentCoding.offer)"

    // libcurl does not decode, because it would have to keep the whole output of a piece while the receiver is
    // slow. `ContentDecoder` decodes.
    private func setFields(_ request: HTTPRequest) {
      // "Name;" sends a field without a value; "Name:" would remove the field. "Expect:" is removed on purpose:
      // waiting for 100-continue costs a second with servers that do not support it.
      var lines = request.endToEndHeaders.map { $0.value.isEmpty ? "\($0.name);" : "\($0.name): \($0.value)" }
      if request.allowsContentDecoding { lines.append(Self.offerLine) }
      // Otherwise libcurl would sign a field that is not sent.
      if !request.headers.contains(name: "Expect"), request.signature == nil { lines.append("Expect:") }
      for line in lines {
        guard let longer = ozu_curl_slist_append(headerList, line) else { continue }
        headerList = longer
      }
      _ = ozu_curl_set_header_list(raw, headerList)
    }
  }

  // libcurl's callbacks for the body of a request, called like those in `CurlHandle.swift`.

  private func onUpload(
    _ buffer: UnsafeMutablePointer<CChar>?, _ size: Int, _ count: Int, _ context: UnsafeMutableRawPointer?
  ) -> Int {
    let space = UnsafeMutableRawBufferPointer(start: buffer, count: size * count)
    return curlTransfer(context)?.giveUpload(space) ?? Int(CURL_READFUNC_ABORT)
  }

  private func onUploadSeek(
    _ context: UnsafeMutableRawPointer?, _ offset: curl_off_t, _ origin: Int32
  ) -> Int32 {
    guard origin == SEEK_SET, curlTransfer(context)?.seekUpload(to: Int(offset)) == true else {
      return Int32(CURL_SEEKFUNC_FAIL)
    }
    return Int32(CURL_SEEKFUNC_OK)
  }
#endif
