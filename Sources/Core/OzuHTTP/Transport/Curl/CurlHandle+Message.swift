#if os(Linux)
  import CCurl

  import OzuBase

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
      setFields(request, hasUpload: transfer.uploadByteCount != nil)
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

    static let offerLine = "Accept-Encoding: \(ContentCoding.offer)"

    // libcurl does not decode, because it would have to keep the whole output of a piece while the receiver is
    // slow. `ContentDecoder` decodes.
    private func setFields(_ request: HTTPRequest, hasUpload: Bool) {
      guard !request.headers.isEmpty || hasUpload || !request.allowsContentDecoding else {
        if !hasOfferList { _ = ozu_curl_set_header_list(raw, offerList) }
        hasOfferList = true
        return
      }
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
