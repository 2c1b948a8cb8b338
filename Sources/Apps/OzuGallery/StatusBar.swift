#if GTK
  import CGTK
  import Foundation
  import Ozu
  import OzuGTK

  /// A line for developers that shows, four times a second, where the pictures came from and the memory that they take.
  @MainActor
  final class StatusBar {
    let widget: Widget
    private let pipeline: ImagePipeline
    private var ticking: Task<Void, Never>?

    init(pipeline: ImagePipeline) {
      self.pipeline = pipeline
      widget = label("", "status", "dim-label")
      gtk_widget_set_halign(widget, GTK_ALIGN_START)
      gtk_label_set_ellipsize(OpaquePointer(widget), PANGO_ELLIPSIZE_END)
      gtk_widget_set_visible(widget, 0)
      g_object_ref_sink(ObjectPointer(widget))
    }

    isolated deinit {
      ticking?.cancel()
      g_object_unref(ObjectPointer(widget))
    }

    /// Whether the line is shown; nothing is counted while it is hidden.
    var isVisible = false {
      didSet {
        gtk_widget_set_visible(widget, isVisible ? 1 : 0)
        ticking?.cancel()
        ticking = isVisible ? tick() : nil
      }
    }

    private func tick() -> Task<Void, Never> {
      let address = UInt(bitPattern: widget)
      return Task { [pipeline] in
        while !Task.isCancelled {
          // Not on the main thread: this may open the disk cache, and reads all jobs.
          let text = await Task.detached { StatusText.text(of: pipeline) }.value
          guard !Task.isCancelled else { break }
          gtk_label_set_text(OpaquePointer(bitPattern: address), text)
          try? await Task.sleep(for: .milliseconds(250))
        }
      }
    }
  }

  /// The counters of a pipeline in one line.
  private enum StatusText {
    static func text(of pipeline: ImagePipeline) -> String {
      let counts = pipeline.statistics
      let disk = counts.renditions.hits + counts.originals.hits
      return [
        "memory \(counts.memory.hits) hits", "disk \(disk)", "network \(counts.networkLoads)",
        "files \(counts.fileLoads)",
        "derived \(counts.derived)", "failed \(counts.failureCount)",
        "\(megabytes(pipeline.memoryCacheStatistics.totalCost)) in memory",
        "\(megabytes(pipeline.diskCache?.totalByteCount ?? 0)) on disk",
        "\(pipeline.diagnostics().jobs.count) under way",
      ].joined(separator: "  ·  ")
    }

    private static func megabytes(_ byteCount: Int) -> String {
      (Double(byteCount) / 1e6).formatted(.number.precision(.fractionLength(1))) + " MB"
    }
  }
#endif
