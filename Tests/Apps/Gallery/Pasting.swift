#if GTK
  import CGTK
  import Foundation
  import OzuGTK

  /// Reads what is on the clipboard or in a drag as another program does: as a stream of bytes of a type.
  @MainActor
  enum Pasting {
    /// The bytes of a type on a clipboard; `nil` when it has none, or cannot give them.
    static func read(_ clipboard: OpaquePointer, _ type: String) async -> Data? {
      await content { callback in
        type.withCString { name in
          var names: [UnsafePointer<CChar>?] = [name, nil]
          gdk_clipboard_read_async(
            clipboard, &names, G_PRIORITY_DEFAULT, nil,
            { source, result, context in
              let stream = gdk_clipboard_read_finish(OpaquePointer(source), result, nil, nil)
              Callback.answer(UInt(bitPattern: stream), context)
            }, callback)
        }
      }
    }

    /// The bytes of a type in a drag that is held over a widget.
    static func read(drop: OpaquePointer, _ type: String) async -> Data? {
      await content { callback in
        type.withCString { name in
          var names: [UnsafePointer<CChar>?] = [name, nil]
          gdk_drop_read_async(
            drop, &names, G_PRIORITY_DEFAULT, nil,
            { source, result, context in
              let stream = gdk_drop_read_finish(OpaquePointer(source), result, nil, nil)
              Callback.answer(UInt(bitPattern: stream), context)
            }, callback)
        }
      }
    }

    /// All of a stream that is opened.
    private static func content(_ open: (gpointer) -> Void) async -> Data? {
      let input = await answer(open)
      guard let input = UnsafeMutablePointer<GInputStream>(bitPattern: input) else { return nil }
      defer { g_object_unref(ObjectPointer(input)) }
      return await collect { output, callback in
        g_output_stream_splice_async(
          output, input, GOutputStreamSpliceFlags(rawValue: 0), G_PRIORITY_DEFAULT, nil,
          { source, result, context in
            let output = ObjectPointer(source)?.assumingMemoryBound(to: GOutputStream.self)
            Callback.answer(g_output_stream_splice_finish(output, result, nil) >= 0 ? 1 : 0, context)
          }, callback)
      }
    }

    /// The bytes that a content provider writes for a type; `nil` when it does not.
    static func read(_ provider: UnsafeMutablePointer<GdkContentProvider>, _ type: String) async -> Data? {
      await collect { output, callback in
        gdk_content_provider_write_mime_type_async(
          provider, type, output, G_PRIORITY_DEFAULT, nil,
          { source, result, context in
            let provider = ObjectPointer(source)?.assumingMemoryBound(to: GdkContentProvider.self)
            let isWritten = gdk_content_provider_write_mime_type_finish(provider, result, nil) != 0
            Callback.answer(isWritten ? 1 : 0, context)
          }, callback)
      }
    }

    /// The bytes that something writes into memory.
    private static func collect(
      _ write: (UnsafeMutablePointer<GOutputStream>, gpointer) -> Void
    ) async -> Data? {
      let stream = g_memory_output_stream_new_resizable()!
      defer { g_object_unref(ObjectPointer(stream)) }
      guard await answer({ write(stream, $0) }) != 0 else { return nil }
      let memory = UnsafeMutableRawPointer(stream).assumingMemoryBound(to: GMemoryOutputStream.self)
      guard let bytes = g_memory_output_stream_get_data(memory) else { return Data() }
      return Data(bytes: bytes, count: Int(g_memory_output_stream_get_data_size(memory)))
    }

    private static func answer(_ start: (gpointer) -> Void) async -> UInt {
      await withCheckedContinuation { start(Unmanaged.passRetained(Callback($0)).toOpaque()) }
    }

    /// Passes an answer from C, a number or an address, to the task that waits.
    private final class Callback: Sendable {
      private let continuation: CheckedContinuation<UInt, Never>
      init(_ continuation: CheckedContinuation<UInt, Never>) { self.continuation = continuation }

      static func answer(_ value: UInt, _ context: gpointer?) {
        guard let context else { return }
        Unmanaged<Callback>.fromOpaque(context).takeRetainedValue().continuation.resume(returning: value)
      }
    }
  }
#endif
