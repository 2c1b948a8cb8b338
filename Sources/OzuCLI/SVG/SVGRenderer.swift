#if SVG && os(Linux)
  import Foundation
  import Ozu
  import OzuLibraryCodecs

  /// The hidden mode of `ozu` that draws one SVG for another `ozu` and ends.
  ///
  /// Nothing of the document is read before the limits of the process are in force. The document may take over the
  /// process after that: who asked believes nothing but numbers that it has checked.
  enum SVGRenderer {
    private static let mode = "--svg-renderer"

    /// What fonts, languages and the libraries of the program depend on. A crash reporter would only hold up the end.
    static var environment: [String] {
      let names = [
        "HOME", "LANG", "LANGUAGE", "LC_ALL", "LC_CTYPE", "LC_MESSAGES", "LD_LIBRARY_PATH", "FONTCONFIG_FILE",
        "FONTCONFIG_PATH", "XDG_CACHE_HOME", "XDG_CONFIG_HOME", "XDG_DATA_DIRS", "XDG_DATA_HOME",
      ]
      let all = ProcessInfo.processInfo.environment
      return names.compactMap { name in all[name].map { "\(name)=\($0)" } } + ["SWIFT_BACKTRACE=enable=no"]
    }

    /// The arguments that start this mode in a child of this process.
    static func arguments(_ limits: SVGProcessLimits) -> [String] {
      [mode, "\(getpid())", "\(limits.cpuSeconds)", "\(limits.memoryByteCount)"]
    }

    /// Draws, if the arguments of the program say so; does not return then.
    static func runIfAsked(_ arguments: [String]) {
      guard arguments.count == 5, arguments[1] == mode else { return }
      // Before the limits, which leave what is there out of account. Where it fails, opening the document says why.
      try? SVGDecoder().prepare()
      guard let parent = Int32(arguments[2]), let cpuSeconds = Int(arguments[3]),
        let bytes = Int(arguments[4]),
        ProcessConfinement.begin(parent: parent, cpuSeconds: cpuSeconds, memoryByteCount: bytes)
      else {
        try? FileHandle.standardError.write(contentsOf: Data("its limits cannot be set\n".utf8))
        exit(ExitStatus.wrongUsage.rawValue)
      }
      // Nothing that a library prints gets among the answer.
      let output = dup(STDOUT_FILENO)
      dup2(STDERR_FILENO, STDOUT_FILENO)
      answer(to: STDIN_FILENO, on: output)
      exit(ExitStatus.done.rawValue)
    }

    private static func answer(to input: Int32, on output: Int32) {
      guard let bytes = read(SVGMessageHead.byteCount, from: input),
        let request = bytes.withUnsafeBytes({ SVGMessageHead($0) }),
        let document = read(Int(clamping: request.byteCount), from: input)
      else { return }
      do throws(DecodingError) {
        switch request.kind {
        case .readHeader:
          // The process that asked has limits of its own.
          let header = try SVGDecoder().open(document, limits: .boundless).header
          write(SVGMessageHead(.header, size: header.storedSize).bytes, to: output)
        case .draw:
          let bitmap = try draw(document, request.size)
          let rowByteCount = bitmap.size.width * bitmap.format.bytesPerPixel
          let head = SVGMessageHead(.pixels, size: bitmap.size, byteCount: rowByteCount * bitmap.size.height)
          write(head.bytes, to: output)
          bitmap.withUnsafeBytes { pixels in
            for y in 0..<bitmap.size.height {
              write(pixels[(y * bitmap.bytesPerRow)...].prefix(rowByteCount), to: output)
            }
          }
        case .header, .pixels, .failure, .unsupported: return
        }
      } catch {
        let (kind, reason): (SVGMessageHead.Kind, String) =
          switch error {
          case .corrupt(_, _, let reason): (.failure, reason)
          case .unsupportedType(_, let reason): (.unsupported, reason)
          default: (.failure, error.description)
          }
        let words = Array(reason.utf8.prefix(SVGProcessDecoder.reasonByteCount))
        write(SVGMessageHead(kind, byteCount: words.count).bytes + words, to: output)
      }
    }

    private static func draw(_ document: Data, _ size: PixelSize) throws(DecodingError) -> Bitmap {
      var header = ImageHeader(type: .svg, storedSize: size, hasAlpha: true)
      header.isDrawing = true
      return try SVGDecoder().open(document, limits: .boundless).decode(
        DecodePlan(header: header, resize: nil), context: DecodingContext(limits: .boundless))
    }

    private static func read(_ count: Int, from descriptor: Int32) -> Data? {
      var bytes = Data(count: count)
      let isWhole = bytes.withUnsafeMutableBytes { buffer in
        var done = 0
        while done < count, let start = buffer.baseAddress {
          let step = Glibc.read(descriptor, start + done, count - done)
          guard step > 0 || (step < 0 && errno == EINTR) else { return false }
          done += max(0, step)
        }
        return true
      }
      return isWhole ? bytes : nil
    }

    /// Writes all bytes; who does not take them any more does not want them.
    private static func write(_ bytes: some Collection<UInt8>, to descriptor: Int32) {
      _ = bytes.withContiguousStorageIfAvailable { buffer in
        var done = 0
        while done < buffer.count, let start = buffer.baseAddress {
          let step = Glibc.write(descriptor, start + done, buffer.count - done)
          guard step > 0 || (step < 0 && errno == EINTR) else { return }
          done += max(0, step)
        }
      }
    }
  }

  extension DecodingLimits {
    fileprivate static let boundless = DecodingLimits(
      pixelCount: .max, side: .max, decodedByteCount: .max, encodedByteCount: .max, cpuTime: .seconds(1 << 30)
    )
  }
#endif
