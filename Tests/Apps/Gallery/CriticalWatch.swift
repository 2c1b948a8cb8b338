#if GTK
  import CGTK
  import Foundation
  import OzuBase

  /// Records the warnings and critical messages of GTK: each is a fault of ours.
  enum CriticalWatch {
    private static let messages = Mutex<[String]>([])

    /// Starts to record; messages are still printed to standard error.
    static func begin() {
      g_log_set_writer_func(
        { level, fields, count, _ in
          if level.rawValue & (G_LOG_LEVEL_CRITICAL.rawValue | G_LOG_LEVEL_WARNING.rawValue) != 0 {
            CriticalWatch.note(fields, Int(count))
          }
          return g_log_writer_default(level, fields, count, nil)
        }, nil, nil)
    }

    private static func note(_ fields: UnsafePointer<GLogField>?, _ count: Int) {
      for index in 0..<count {
        guard let field = fields?[index], String(cString: field.key) == "MESSAGE", let value = field.value
        else {
          continue
        }
        let text = String(cString: value.assumingMemoryBound(to: CChar.self))
        // Missing services of the session, and locales that are not installed, are no fault of the program.
        if text.contains("dconf") || text.contains("portal") || text.contains("at-spi")
          || text.contains("Vulkan") || text.contains("Locale not supported")
        {
          continue
        }
        messages.withLock { $0.append(text) }
      }
    }

    /// The messages so far.
    static var complaints: [String] { messages.withLock { $0 } }
  }
#endif
