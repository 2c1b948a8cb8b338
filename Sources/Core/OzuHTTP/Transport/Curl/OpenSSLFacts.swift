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

  /// The last handshake and its certificate: the one that was not accepted, if there is one. Only the loop's thread
  /// uses it.
  final class CertificateNote {
    var facts: CertificateFacts?
    /// The failure of the handshake; nil if it succeeded, or if none was seen.
    var handshake: HandshakeFailure?
  }

  /// Reads certificates while OpenSSL verifies them, and the number of its error if a handshake fails, for messages:
  /// libcurl does not report when a certificate expired, which hosts it is for, or why there was no handshake.
  ///
  /// It changes no decision: OpenSSL's own result is returned. The functions are looked up in the library that
  /// libcurl is linked with. If that is not OpenSSL, or a function is missing, messages do not have these facts.
  struct OpenSSLFacts: Sendable {
    private typealias Pointer = UnsafeMutableRawPointer?
    private typealias Verification = @convention(c) (Int32, UnsafeMutableRawPointer?) -> Int32
    private typealias Progress = @convention(c) (UnsafeRawPointer?, Int32, Int32) -> Void

    private let setVerification: @convention(c) (Pointer, Int32, Verification?) -> Void
    private let verificationMode: @convention(c) (Pointer) -> Int32
    private let setProgress: @convention(c) (Pointer, Progress?) -> Void
    private let firstError: @convention(c) () -> UInt
    private let setContextData: @convention(c) (Pointer, Int32, Pointer) -> Int32
    private let contextData: @convention(c) (Pointer, Int32) -> Pointer
    private let context: @convention(c) (Pointer) -> Pointer
    private let connectionIndex: @convention(c) () -> Int32
    private let storeData: @convention(c) (Pointer, Int32) -> Pointer
    private let depth: @convention(c) (Pointer) -> Int32
    private let certificate: @convention(c) (Pointer) -> Pointer
    private let notBefore: @convention(c) (Pointer) -> Pointer
    private let notAfter: @convention(c) (Pointer) -> Pointer
    private let readTime: @convention(c) (Pointer, UnsafeMutablePointer<tm>) -> Int32
    private let issuer: @convention(c) (Pointer) -> Pointer
    private let readName: @convention(c) (Pointer, Int32, UnsafeMutablePointer<CChar>?, Int32) -> Int32
    private let readExtension: @convention(c) (Pointer, Int32, Pointer, Pointer) -> Pointer
    private let count: @convention(c) (Pointer) -> Int32
    private let element: @convention(c) (Pointer, Int32) -> Pointer
    private let bytes: @convention(c) (Pointer) -> UnsafePointer<UInt8>?
    private let length: @convention(c) (Pointer) -> Int32
    private let freeNames: @convention(c) (Pointer) -> Void
    /// The index of our pointer in each context.
    private let index: Int32

    /// Nil if libcurl is linked with another library. Must be used only after libcurl is loaded.
    static let shared = OpenSSLFacts()

    private init?() {
      guard let version = ozu_curl_ssl_version(), String(cString: version).hasPrefix("OpenSSL/"),
        // libcurl is loaded already. Its handle finds the OpenSSL that it is linked with, even if others are
        // loaded.
        let library = dlopen("libcurl.so.4", RTLD_LAZY | RTLD_NOLOAD)
      else { return nil }
      // The types are those of OpenSSL's manual pages, and are the same in versions 1.1.1 and 3.
      func function<Function>(_ name: String, as type: Function.Type = Function.self) -> Function? {
        dlsym(library, name).map { unsafeBitCast($0, to: type) }
      }
      typealias Freeing = @convention(c) (Pointer, Pointer, Pointer, Int32, Int, Pointer) -> Void
      typealias NewIndex = @convention(c) (Int32, Int, Pointer, Pointer, Pointer, Freeing?) -> Int32
      guard let newIndex: NewIndex = function("CRYPTO_get_ex_new_index") else { return nil }
      guard
        let setVerification: @convention(c) (Pointer, Int32, Verification?) -> Void = function(
          "SSL_CTX_set_verify"),
        let verificationMode: @convention(c) (Pointer) -> Int32 = function("SSL_CTX_get_verify_mode"),
        let setProgress: @convention(c) (Pointer, Progress?) -> Void = function("SSL_CTX_set_info_callback"),
        let firstError: @convention(c) () -> UInt = function("ERR_peek_error"),
        let setContextData: @convention(c) (Pointer, Int32, Pointer) -> Int32 = function(
          "SSL_CTX_set_ex_data"),
        let contextData: @convention(c) (Pointer, Int32) -> Pointer = function("SSL_CTX_get_ex_data"),
        let context: @convention(c) (Pointer) -> Pointer = function("SSL_get_SSL_CTX"),
        let connectionIndex: @convention(c) () -> Int32 = function("SSL_get_ex_data_X509_STORE_CTX_idx"),
        let storeData: @convention(c) (Pointer, Int32) -> Pointer = function("X509_STORE_CTX_get_ex_data"),
        let depth: @convention(c) (Pointer) -> Int32 = function("X509_STORE_CTX_get_error_depth"),
        let certificate: @convention(c) (Pointer) -> Pointer = function("X509_STORE_CTX_get_current_cert")
      else { return nil }
      guard let notBefore: @convention(c) (Pointer) -> Pointer = function("X509_get0_notBefore"),
        let notAfter: @convention(c) (Pointer) -> Pointer = function("X509_get0_notAfter"),
        let readTime: @convention(c) (Pointer, UnsafeMutablePointer<tm>) -> Int32 = function(
          "ASN1_TIME_to_tm"),
        let issuer: @convention(c) (Pointer) -> Pointer = function("X509_get_issuer_name"),
        let readName: @convention(c) (Pointer, Int32, UnsafeMutablePointer<CChar>?, Int32) -> Int32 =
          function(
            "X509_NAME_get_text_by_NID"),
        let readExtension: @convention(c) (Pointer, Int32, Pointer, Pointer) -> Pointer = function(
          "X509_get_ext_d2i"),
        let count: @convention(c) (Pointer) -> Int32 = function("OPENSSL_sk_num"),
        let element: @convention(c) (Pointer, Int32) -> Pointer = function("OPENSSL_sk_value"),
        let bytes: @convention(c) (Pointer) -> UnsafePointer<UInt8>? = function("ASN1_STRING_get0_data"),
        let length: @convention(c) (Pointer) -> Int32 = function("ASN1_STRING_length"),
        let freeNames: @convention(c) (Pointer) -> Void = function("GENERAL_NAMES_free")
      else { return nil }
      self.setVerification = setVerification
      self.verificationMode = verificationMode
      self.setProgress = setProgress
      self.firstError = firstError
      self.setContextData = setContextData
      self.contextData = contextData
      self.context = context
      self.connectionIndex = connectionIndex
      self.storeData = storeData
      self.depth = depth
      self.certificate = certificate
      self.notBefore = notBefore
      self.notAfter = notAfter
      self.readTime = readTime
      self.issuer = issuer
      self.readName = readName
      self.readExtension = readExtension
      self.count = count
      self.element = element
      self.bytes = bytes
      self.length = length
      self.freeNames = freeNames
      // CRYPTO_EX_INDEX_SSL_CTX. OpenSSL calls the last function for each context that is freed, with its note or
      // nil.
      index = newIndex(1, 0, nil, nil, nil) { _, note, _, _, _, _ in
        if let note { Unmanaged<CertificateNote>.fromOpaque(note).release() }
      }
      guard index >= 0 else { return nil }
    }

    /// Records the certificates of a context (`SSL_CTX`), which libcurl makes for one connection.
    ///
    /// The context keeps the note alive, because a server may renegotiate long after the transfer that began the
    /// connection has ended.
    func watch(_ context: UnsafeMutableRawPointer?, _ note: CertificateNote) {
      let retained = Unmanaged.passRetained(note)
      guard setContextData(context, index, retained.toOpaque()) == 1 else { return retained.release() }
      setVerification(context, verificationMode(context)) { verdict, store in
        OpenSSLFacts.shared?.note(store, isAccepted: verdict == 1)
        return verdict
      }
      setProgress(context) { connection, event, result in
        // SSL_CB_CONNECT_EXIT: the handshake succeeded, failed, or waits for the server.
        if event == 0x1002 { OpenSSLFacts.shared?.noteHandshake(connection, isDone: result == 1) }
      }
    }

    private func noteHandshake(_ connection: UnsafeRawPointer?, isDone: Bool) {
      guard let connection = UnsafeMutableRawPointer(mutating: connection),
        let note = contextData(context(connection), index)
      else { return }
      // A reason is in the low bits of an error in all versions. While the handshake waits there is none.
      let reason = Int(firstError() & 0xFFF)
      Unmanaged<CertificateNote>.fromOpaque(note).takeUnretainedValue().handshake =
        isDone ? nil : reason == 0 ? .broken : .reason(reason)
    }

    // Called for each certificate of a chain until one is not accepted; the host's own certificate is last.
    private func note(_ store: UnsafeMutableRawPointer?, isAccepted: Bool) {
      guard !isAccepted || depth(store) == 0, let connection = storeData(store, connectionIndex()),
        let note = contextData(context(connection), index), let certificate = certificate(store)
      else { return }
      Unmanaged<CertificateNote>.fromOpaque(note).takeUnretainedValue().facts = facts(of: certificate)
    }

    private func facts(of certificate: UnsafeMutableRawPointer) -> CertificateFacts {
      CertificateFacts(
        notBefore: date(notBefore(certificate)), notAfter: date(notAfter(certificate)),
        names: names(of: certificate),
        issuer: commonName(issuer(certificate)))
    }

    private func date(_ time: UnsafeMutableRawPointer?) -> Date? {
      var parts = tm()
      guard time != nil, readTime(time, &parts) == 1 else { return nil }
      return Date(timeIntervalSince1970: Double(timegm(&parts)))
    }

    private func commonName(_ name: UnsafeMutableRawPointer?) -> String? {
      var text = [CChar](repeating: 0, count: 128)
      // NID_commonName.
      guard name != nil, readName(name, 13, &text, Int32(text.count)) > 0 else { return nil }
      return String(decoding: text.prefix { $0 != 0 }.map(UInt8.init(bitPattern:)), as: UTF8.self)
    }

    private func names(of certificate: UnsafeMutableRawPointer) -> [String] {
      // NID_subject_alt_name.
      guard let list = readExtension(certificate, 85, nil, nil) else { return [] }
      defer { freeNames(list) }
      return (0..<min(4, max(0, count(list)))).compactMap { place in
        // struct GENERAL_NAME_st { int type; union { … } d; }: GEN_DNS is 2, GEN_IPADD 7, and both are strings.
        guard let name = element(list, place) else { return nil }
        let type = name.load(as: Int32.self)
        let string = name.load(fromByteOffset: MemoryLayout<Int>.size, as: UnsafeMutableRawPointer?.self)
        guard type == 2 || type == 7, string != nil, let start = bytes(string) else { return nil }
        let content = UnsafeBufferPointer(start: start, count: min(255, max(0, Int(length(string)))))
        return type == 2
          ? String(decoding: content, as: UTF8.self) : NetworkAddress(bytes: Array(content))?.description
      }
    }
  }
#endif
