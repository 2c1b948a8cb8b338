#if canImport(OzuServer)
  import Foundation
  import Ozu
  import OzuBase
  import OzuHTTP
  import OzuServer

  /// What results look like, and what answers say.
  extension ServeSettings {
    /// Sets what addresses may ask for, and how results are written.
    func setAnswers(_ rules: inout AddressRules) throws(UsageError) {
      rules.allowedOptions = Set(list("allowed_options"))
      for name in list("allowed_options") where !AddressRules.hasOption(name) {
        throw UsageError("allowed_options: there is no option \"\(name)\"")
      }
      rules.allowsRaw = try flag("raw")
      rules.keepsCopyright = try flag("keep_copyright")
      rules.negotiatesFormat = try flag("negotiate")
      rules.usesClientHints = try flag("client_hints")
      guard let detail = InformationDetail(rawValue: self["info"]) else {
        throw UsageError("info = \(self["info"]): none, picture, metadata or everything is needed")
      }
      rules.information = detail
      for word in list("formats") {
        guard let format = ImageFormat.written.first(where: { $0.endings.contains(word) }) else {
          throw UsageError(
            "formats: \(word): this format cannot be written",
            hint: "It can be \(ImageFormat.written.map { $0.endings[0] }.joined(separator: ", ")).")
        }
        rules.writtenTypes.insert(format.type)
      }
      // What this build cannot write, another machine with the same settings may.
      let formats = ImageFormat.written.flatMap { format in format.endings.map { ($0, format.type) } }
      let quality = try ByFormat(
        qualities: list("quality").joined(separator: ","), name: "quality =", in: 1...100, formats: formats)
      rules.quality = quality.common ?? rules.quality
      rules.qualities = quality.named
      let efforts = list("effort").joined(separator: ",")
      if !efforts.isEmpty {
        let effort = try ByFormat(
          efforts, name: "effort =", noun: "an effort", formats: formats, needs: "low, medium or high",
          example: "low, or low,avif=medium", EncodingOptions.Effort.init(rawValue:))
        rules.effort = effort.common ?? rules.effort
        rules.efforts = effort.named
      }
      rules.largestSide = try integer("largest_side", in: 1...16_384)
    }

    /// Sets what clients may keep, and what every answer says.
    func setAnswers(_ configuration: inout ImageService.Configuration) throws(UsageError) {
      switch self["age"] {
      case "source": configuration.lifetime = .source
      case "never": configuration.lifetime = .none
      default:
        guard let seconds = Int(self["age"]), (0...31_536_000).contains(seconds) else {
          throw UsageError("age = \(self["age"]): source, never or a number of seconds is needed")
        }
        configuration.lifetime = .fixed(seconds)
      }
      configuration.maximumLifetime = try integer("longest_age", in: 0...31_536_000)
      configuration.failureLifetime = try integer("failure_age", in: 0...31_536_000)
      configuration.fallback = try fallback()
      configuration.continuesTraces = try flag("continue_traces")
      configuration.readsForwardedAddress = try flag("forwarded_for")
      configuration.responseFields = try fields("response_fields")
      if !self["allow_origin"].isEmpty {
        guard Self.isFieldValue(self["allow_origin"]) else {
          throw UsageError("allow_origin: this cannot be the value of a field")
        }
        configuration.responseFields["Access-Control-Allow-Origin"] = self["allow_origin"]
      }
      configuration.spans = try spans()
      configuration.pathPrefix = try pathPrefix()
    }

    /// Header fields: `NAME: VALUE`, separated by semicolons.
    private func fields(_ name: String) throws(UsageError) -> HTTPHeaders {
      var fields = HTTPHeaders()
      let isSecret = ServeSetting.all.contains { $0.name == name && $0.isSecret }
      for text in list(name, ";") {
        let parts = text.split(separator: ":", maxSplits: 1, omittingEmptySubsequences: false)
        let value = parts.count == 2 ? parts[1].trimmingCharacters(in: .whitespaces) : ""
        let field = String(parts[0])
        guard field.isHTTPToken, Self.isFieldValue(value) else {
          throw UsageError("\(name)\(isSecret ? "" : ": \(text)"): NAME: VALUE is needed")
        }
        fields[field] = value
      }
      return fields
    }

    /// What sends spans to the collector of `traces`; `nil` without one.
    private func spans() throws(UsageError) -> SpanExporter? {
      let (share, headers) = (try number("traces_share", in: 0...1), try fields("traces_fields"))
      let text = self["traces"]
      guard !text.isEmpty else { return nil }
      guard let url = URL(string: text), ["http", "https"].contains(url.scheme?.lowercased()),
        url.host()?.isEmpty == false, url.user() == nil
      else {
        throw UsageError(
          "traces: the address of a collector is needed",
          hint: "For example: http://127.0.0.1:4318/v1/traces; a login belongs into traces_fields.")
      }
      let endpoint = ["", "/"].contains(url.path()) ? url.appending(path: "v1/traces") : url
      return SpanExporter(
        endpoint, name: self["traces_name"], version: Version.current, share: share, headers: headers)
    }

    private static func isFieldValue(_ text: String) -> Bool {
      !text.isEmpty && text.utf8.allSatisfy { $0 >= 0x20 && $0 != 0x7F }
    }

    private func pathPrefix() throws(UsageError) -> String {
      let text = self["path_prefix"]
      let isRight =
        text.isEmpty
        || text.hasPrefix("/") && !text.hasSuffix("/") && !text.hasPrefix("/playground")
          && text.utf8.allSatisfy { $0 > 0x20 && $0 < 0x7F && $0 != UInt8(ascii: "?") }
      guard isRight, !["/health", "/ready", "/metrics"].contains(text) else {
        throw UsageError("path_prefix = \(text): a path like /pictures is needed, without a slash at its end")
      }
      return text
    }

    /// Which requests are logged.
    enum LogLevel: String {
      case info, warning, error

      func logs(_ record: ServiceLogRecord) -> Bool {
        switch self {
        case .info: true
        case .warning: record.status >= 400 || record.failure != nil
        case .error: record.status >= 500
        }
      }
    }

    /// Whether lines of the log are for people.
    func logsText() throws(UsageError) -> Bool {
      switch self["log_format"] {
      case "json": return false
      case "text": return true
      default: throw UsageError("log_format = \(self["log_format"]): json or text is needed")
      }
    }

    func logLevel() throws(UsageError) -> LogLevel {
      guard let level = LogLevel(rawValue: self["log_level"]) else {
        throw UsageError("log_level = \(self["log_level"]): info, warning or error is needed")
      }
      return level
    }

    /// The picture of `watermark`; `nil` without one. It is decoded as the pictures of strangers are.
    func watermark(_ configuration: ImagePipeline.Configuration) async throws(UsageError) -> WatermarkPicture?
    {
      let opacity = try number("watermark_opacity", in: 0...1)
      guard !self["watermark"].isEmpty else { return nil }
      let pipeline = ImagePipeline(configuration.withoutStores)
      do {
        let data = try Data(contentsOf: URL(fileURLWithPath: self["watermark"]))
        let mark = try await pipeline.image(for: ImageRequest(data: data))
        var picture = WatermarkPicture(mark.bitmap)
        if mark.header?.isDrawing == true {
          // Sharp at every size that a result usually has.
          let resize = Resize(PixelSize(2048, 2048), allowsUpscaling: true)
          picture.enlarged = try await pipeline.image(for: ImageRequest(data: data, resize: resize)).bitmap
        }
        picture.opacity = opacity
        return picture
      } catch let error as ImageError {
        throw UsageError("watermark = \(self["watermark"]): \(error.explanation)")
      } catch {
        throw UsageError("watermark = \(self["watermark"]): \(error.oneLine)")
      }
    }

    /// How texts are drawn; `nil` without `watermark_text_style`. A text is drawn now, so that a font that is not there is known
    /// before the first request.
    func watermarkText(_ configuration: ImagePipeline.Configuration) async throws(UsageError)
      -> WatermarkText?
    {
      let name = "watermark_text_style"
      let length = try integer("watermark_text_length", in: 1...Label.largestCharacterCount)
      guard let style = try textStyle else { return nil }
      let pipeline = ImagePipeline(configuration.withoutStores)
      var label = style.label
      label.text = "Ozu"
      do throws(LabelError) {
        _ = try await pipeline.picture(of: label)
      } catch {
        throw UsageError("\(name) = \(self[name]): \(error)")
      }
      var texts = WatermarkText(style: style.label, drawing: pipeline.labelDrawing)
      texts.largestCharacterCount = length
      return texts
    }

    var textStyle: TextStyle? {
      get throws(UsageError) {
        let name = "watermark_text_style"
        return self[name].isEmpty ? nil : try TextStyle(self[name], of: name, hasPlace: false)
      }
    }

    /// The limits of connections of clients.
    func listening() throws(UsageError) -> ServiceListener.Configuration {
      var listening = ServiceListener.Configuration()
      listening.maximumConnectionCount = try integer("clients", in: 1...1_000_000)
      listening.headLimit = try seconds("head_timeout", in: 0.1...600)
      listening.idleLimit = try seconds("keep_alive", in: 0.1...3600)
      listening.writeLimit = try seconds("write_timeout", in: 0.1...600)
      return listening
    }
  }

  extension ImagePipeline.Configuration {
    /// The same without a disk cache and shared stores, for what is made or tried before the service takes requests.
    var withoutStores: Self {
      var configuration = self
      (configuration.caching.diskStorage, configuration.caching.stores) = (.none, [])
      return configuration
    }
  }

  extension ServeSettings {
    /// The page to try options on, with its token, if the settings ask for it.
    ///
    /// The page signs addresses for users who have the token. If only this machine can connect and the settings have no
    /// token, one is made and printed. If others can connect, the settings must have one.
    ///
    /// - Returns: the page, and the token if it was made here; `nil` without a page.
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
