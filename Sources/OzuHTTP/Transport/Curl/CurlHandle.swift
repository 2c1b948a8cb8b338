#if os(Linux)
  import CCurl

  #if canImport(FoundationEssentials)
    import FoundationEssentials
  #else
    import Foundation
  #endif
  #if canImport(Glibc)
    import Glibc
  #elseif canImport(Musl)
    import Musl
  #endif

  /// A libcurl easy handle with what must live as long as its options: the error text and the header list.
  ///
  /// Used by the loop's thread only, and pooled. What all requests of a client have in common is set once; a plain
  /// GET changes only its address, its fields and its owner, and the handle is used again as it is. Whatever went
  /// through anything else (another method, credentials in the address) is reset before it is used again.
  final class CurlHandle {
    let raw: UnsafeMutableRawPointer
    let configuration: HTTPClientConfiguration
    private let counters: CurlCounters
    /// Whether an option of one request alone is set, or libcurl may remember something of it.
    private var needsReset = true
    /// The transfer whose hop it carries; nil between two. libcurl's callbacks get the handle and find it here.
    private(set) var transfer: CurlTransfer?
    /// What is set, as long as it is not reset; nil for what libcurl does by itself.
    private var offersHTTP2: Bool?
    private var connectMilliseconds: Int?
    /// What the handshakes that it begins show.
    let certificate = CertificateNote()
    private let errorText: UnsafeMutablePointer<CChar>
    /// The fields of requests that bring none of their own; made once.
    private let offerList: UnsafeMutablePointer<curl_slist>?
    /// The fields of the request at hand, where it brings some.
    private var headerList: UnsafeMutablePointer<curl_slist>?
    private var hasOfferList = false

    init?(configuration: HTTPClientConfiguration, counters: CurlCounters) {
      guard let raw = ozu_curl_easy_init() else { return nil }
      self.raw = raw
      self.configuration = configuration
      self.counters = counters
      errorText = .allocate(capacity: Int(CURL_ERROR_SIZE))
      errorText.initialize(repeating: 0, count: Int(CURL_ERROR_SIZE))
      offerList = ozu_curl_slist_append(nil, Self.offerLine)
      counters.handles.add(1, ordering: .relaxed)
    }

    deinit {
      ozu_curl_easy_cleanup(raw)
      ozu_curl_slist_free_all(headerList)
      ozu_curl_slist_free_all(offerList)
      errorText.deallocate()
      counters.handles.subtract(1, ordering: .relaxed)
    }

    /// What libcurl said about the failure, or its general words for the code.
    func message(for code: CURLcode) -> String {
      let text = String(cString: errorText)
      return text.isEmpty ? String(cString: ozu_curl_easy_strerror(code)) : text
    }

    /// Forgets the transfer; connections and names stay known to the multi handle.
    func reset() {
      transfer = nil
      certificate.facts = nil
      if needsReset { ozu_curl_easy_reset(raw) }
      if headerList != nil {
        _ = ozu_curl_set_header_list(raw, nil)
        ozu_curl_slist_free_all(headerList)
        headerList = nil
        hasOfferList = false
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
      // The handle lives longer than libcurl's, which `deinit` frees.
      let context = Unmanaged.passUnretained(self).toOpaque()
      _ = ozu_curl_set_pointer(raw, CURLOPT_PRIVATE, context)
      _ = ozu_curl_set_on_body(raw, onBody, context)
      _ = ozu_curl_set_on_header(raw, onHeaderLine, context)
      _ = ozu_curl_set_on_connected(raw, onConnected, context)
      _ = ozu_curl_set_on_socket(raw, onSocketOpen, context)
      if OpenSSLFacts.shared != nil { _ = ozu_curl_set_on_ssl_context(raw, onSecureContext, context) }
    }

    private func setCommonOptions() {
      (offersHTTP2, connectMilliseconds, hasOfferList) = (nil, nil, false)
      setCallbacks()
      set(CURLOPT_ERRORBUFFER, errorText)
      set(CURLOPT_NOSIGNAL, 1)
      set(CURLOPT_SUPPRESS_CONNECT_HEADERS, 1)
      // Without this it refuses transfer codings that it does not know, where browsers take the body as it comes.
      set(CURLOPT_HTTP_CONTENT_DECODING, 0)
      // Below the 64 KB at which freeing a block makes the allocator tidy up its whole heap: libcurl frees this
      // one after each transfer.
      set(CURLOPT_BUFFERSIZE, 32 << 10)
      _ = ozu_curl_allow_only_http(raw)
      ozu_curl_never_wait_for_resolver(raw)
      if let userAgent = configuration.userAgent { set(CURLOPT_USERAGENT, userAgent) }
      // A proxy would connect in our place, and to what it pleases.
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

    // HTTP/2 by ALPN only, never in clear text. PIPEWAIT has the handshake decide whether requests share the
    // connection; without TLS they would wait for the first response to learn that they cannot.
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

    private func setMessage(_ transfer: CurlTransfer) {
      let request = transfer.hop
      // UPLOAD sends any body without the form type and the size limits of POST; the method is then renamed.
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
      setFields(request, hasUpload: transfer.uploadByteCount != nil)
    }

    // User and password on their own, because an access key may have a colon. libcurl takes them for the keys.
    private func sign(_ signature: AWSSignature) {
      set(CURLOPT_AWS_SIGV4, "aws:amz:\(signature.region):\(signature.service)")
      set(CURLOPT_USERNAME, signature.accessKey)
      set(CURLOPT_PASSWORD, signature.secretKey)
      // The field "Expect" cannot be taken out (`setFields`), but nobody has to wait for what it asks for.
      set(CURLOPT_EXPECT_100_TIMEOUT_MS, 1)
    }

    private static let offerLine = "Accept-Encoding: \(ContentCoding.offer)"

    // What libcurl could undo it is not asked to: it would have to hold all that one piece becomes while the receiver is
    // behind. `ContentDecoder` does.
    private func setFields(_ request: HTTPRequest, hasUpload: Bool) {
      guard !request.headers.isEmpty || hasUpload || !request.allowsContentDecoding else {
        if !hasOfferList { _ = ozu_curl_set_header_list(raw, offerList) }
        hasOfferList = true
        return
      }
      // "Name;" sends a field without value, where "Name:" would remove one. "Expect:" does: waiting for
      // 100-continue costs a second at servers that do not know it.
      var lines = request.endToEndHeaders.map { $0.value.isEmpty ? "\($0.name);" : "\($0.name): \($0.value)" }
      if request.allowsContentDecoding { lines.append(Self.offerLine) }
      // libcurl would sign the field that is not sent.
      if !request.headers.contains(name: "Expect"), request.signature == nil { lines.append("Expect:") }
      for line in lines {
        guard let longer = ozu_curl_slist_append(headerList, line) else { continue }
        headerList = longer
      }
      _ = ozu_curl_set_header_list(raw, headerList)
    }

    private func set(_ option: CURLoption, _ value: Int) {
      _ = ozu_curl_set_long(raw, option, value)
    }

    private func set(_ option: CURLoption, _ value: String) {
      _ = ozu_curl_set_string(raw, option, value)
    }

    private func set(_ option: CURLoption, _ value: UnsafeMutableRawPointer) {
      _ = ozu_curl_set_pointer(raw, option, value)
    }
  }

  // libcurl's callbacks. They run on the loop's thread inside libcurl's functions, with the handle as their context, which
  // outlives libcurl's; hence the unretained cast.

  private func transfer(_ context: UnsafeMutableRawPointer?) -> CurlTransfer? {
    context.flatMap { Unmanaged<CurlHandle>.fromOpaque($0).takeUnretainedValue().transfer }
  }

  private func onHeaderLine(
    _ bytes: UnsafeMutablePointer<CChar>?, _ size: Int, _ count: Int, _ context: UnsafeMutableRawPointer?
  ) -> Int {
    let line = UnsafeRawBufferPointer(start: bytes, count: size * count)
    // Any other count than the given one aborts the transfer.
    return transfer(context)?.takeHeaderLine(line) == true ? line.count : (line.isEmpty ? 1 : 0)
  }

  private func onBody(
    _ bytes: UnsafeMutablePointer<CChar>?, _ size: Int, _ count: Int, _ context: UnsafeMutableRawPointer?
  ) -> Int {
    let piece = UnsafeRawBufferPointer(start: bytes, count: size * count)
    guard !piece.isEmpty, let transfer = transfer(context) else { return 0 }
    return switch transfer.takeBody(piece) {
    case .taken: piece.count
    // libcurl keeps the bytes, reads no more, and calls again with them when it is told to go on.
    case .paused: Int(CURL_WRITEFUNC_PAUSE)
    case .failed: 0
    }
  }

  private func onUpload(
    _ buffer: UnsafeMutablePointer<CChar>?, _ size: Int, _ count: Int, _ context: UnsafeMutableRawPointer?
  ) -> Int {
    let space = UnsafeMutableRawBufferPointer(start: buffer, count: size * count)
    return transfer(context)?.giveUpload(space) ?? Int(CURL_READFUNC_ABORT)
  }

  private func onUploadSeek(
    _ context: UnsafeMutableRawPointer?, _ offset: curl_off_t, _ origin: Int32
  ) -> Int32 {
    guard origin == SEEK_SET, transfer(context)?.seekUpload(to: Int(offset)) == true else {
      return Int32(CURL_SEEKFUNC_FAIL)
    }
    return Int32(CURL_SEEKFUNC_OK)
  }

  private func onSecureContext(
    _ easy: UnsafeMutableRawPointer?, _ secureContext: UnsafeMutableRawPointer?,
    _ context: UnsafeMutableRawPointer?
  ) -> CURLcode {
    if let context {
      let handle = Unmanaged<CurlHandle>.fromOpaque(context).takeUnretainedValue()
      OpenSSLFacts.shared?.watch(secureContext, handle.certificate)
    }
    return CURLE_OK
  }

  private func onConnected(
    _ context: UnsafeMutableRawPointer?, _ remoteAddress: UnsafeMutablePointer<CChar>?,
    _ localAddress: UnsafeMutablePointer<CChar>?, _ remotePort: Int32, _ localPort: Int32
  ) -> Int32 {
    transfer(context)?.noteConnected()
    return Int32(CURL_PREREQFUNC_OK)
  }

  private func onSocketOpen(
    _ context: UnsafeMutableRawPointer?, _ purpose: curlsocktype,
    _ address: UnsafeMutablePointer<curl_sockaddr>?
  ) -> curl_socket_t {
    guard let address else { return CURL_SOCKET_BAD }
    if let owner = transfer(context), let isAllowed = owner.addressFilter {
      guard let offset = MemoryLayout<curl_sockaddr>.offset(of: \.addr) else { return CURL_SOCKET_BAD }
      // libcurl gives a whole address of `addrlen` bytes, of which the declared type names the first 16.
      let bytes = UnsafeRawBufferPointer(
        start: UnsafeRawPointer(address).advanced(by: offset), count: Int(address.pointee.addrlen))
      guard let target = NetworkAddress(sockaddr: bytes), isAllowed(target) else {
        owner.noteRefusedAddress(NetworkAddress(sockaddr: bytes)?.description ?? "an unknown address")
        return CURL_SOCKET_BAD
      }
    }
    // Close-on-exec: a process started by the app must not hold our connections open.
    let kind = address.pointee.socktype | Int32(SOCK_CLOEXEC.rawValue)
    let descriptor = socket(address.pointee.family, kind, address.pointee.protocol)
    return descriptor >= 0 ? descriptor : CURL_SOCKET_BAD
  }
#endif
