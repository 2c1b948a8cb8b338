#if GTK
  import CGTK
  import Foundation
  import Ozu
  import OzuGTK

  /// A line that tells, four times a second, where the pictures came from and what they take.
  @MainActor
  final class StatusBar {
    let widget: UnsafeMutablePointer<GtkWidget>
    private let pipeline: ImagePipeline
    private let ticking: Task<Void, Never>

    init(pipeline: ImagePipeline) {
      self.pipeline = pipeline
      let label: UnsafeMutablePointer<GtkWidget> = gtk_label_new("")
      gtk_widget_set_halign(label, GTK_ALIGN_START)
      gtk_widget_add_css_class(label, "status")
      gtk_widget_add_css_class(label, "dim-label")
      g_object_ref_sink(ObjectPointer(label))
      widget = label
      let address = UInt(bitPattern: label)
      ticking = Task { [pipeline] in
        while !Task.isCancelled {
          // The disk cache may be opened by this, and all jobs are looked at: nothing for the main thread.
          let text = await Task.detached { StatusText.text(of: pipeline) }.value
          guard !Task.isCancelled else { break }
          gtk_label_set_text(OpaquePointer(bitPattern: address), text)
          try? await Task.sleep(for: .milliseconds(250))
        }
      }
    }

    isolated deinit {
      ticking.cancel()
      g_object_unref(ObjectPointer(widget))
    }
  }
#endif
