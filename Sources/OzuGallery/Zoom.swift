#if GTK
  import CGTK
  import OzuGTK

  /// Keeps a point of a scrolled picture where it is while the picture becomes larger or smaller, along one axis.
  @MainActor
  final class ZoomAxis {
    private let adjustment: UnsafeMutablePointer<GtkAdjustment>
    /// Which point stays, as a share of the picture.
    private var share = 0.5
    /// Where in the view it stays; `nil` for the middle.
    private var offset: Double?
    private var isAdjusting = false

    init(_ adjustment: UnsafeMutablePointer<GtkAdjustment>) {
      self.adjustment = adjustment
      SignalSource(adjustment).on("value-changed") { [weak self] _ in
        if let self, !isAdjusting { hold(nil) }
      }
      SignalSource(adjustment).on("changed") { [weak self] _ in self?.adjust() }
    }

    /// Keeps what is at a place of the view there from now on; what is in the middle for `nil`.
    func hold(_ offset: Double?) {
      self.offset = offset
      share = (value + (offset ?? page / 2)) / max(gtk_adjustment_get_upper(adjustment), 1)
    }

    var value: Double { gtk_adjustment_get_value(adjustment) }

    func move(to value: Double) { gtk_adjustment_set_value(adjustment, value) }

    private var page: Double { gtk_adjustment_get_page_size(adjustment) }

    private func adjust() {
      isAdjusting = true
      gtk_adjustment_set_value(
        adjustment, share * gtk_adjustment_get_upper(adjustment) - (offset ?? page / 2))
      isAdjusting = false
    }
  }
#endif
