#if GTK
  import CGTK
  import Foundation
  import Ozu
  import OzuBase
  import OzuGTK

  /// A button that says how large the picture is shown, in per cent of its own pixels; behind it are usual sizes, and an entry
  /// for any other.
  @MainActor
  final class ZoomControl {
    /// A `GtkMenuButton`, to be put into a container.
    let widget: Widget
    /// Called with the pixels of the screen per pixel of the picture that the user has chosen; `nil` to fit the window.
    var onChoice: @MainActor (Double?) -> Void = { _ in }
    private let percentage = label("", "zoom-percentage")
    private let entry: Widget = gtk_entry_new()
    private let popover: Widget = gtk_popover_new()
    private var shown = -1

    private static let choices = [50, 100, 200, 400]

    init() {
      widget = gtk_menu_button_new()
      g_object_ref_sink(ObjectPointer(widget))
      gtk_menu_button_set_has_frame(OpaquePointer(widget), 0)
      gtk_menu_button_set_child(OpaquePointer(widget), percentage)
      gtk_menu_button_set_popover(OpaquePointer(widget), popover)
      gtk_widget_set_tooltip_text(widget, tr("Size of the picture"))
      gtk_label_set_width_chars(OpaquePointer(percentage), 5)
      AccessibleName.set(tr("Per cent"), of: entry)
      gtk_editable_set_width_chars(OpaquePointer(entry), 8)
      gtk_editable_set_max_width_chars(OpaquePointer(entry), 8)
      let fit = choice(tr("Fit to the window")) { nil }
      let sizes = Self.choices.map { percent in choice(Self.text(percent)) { Double(percent) / 100 } }
      let content = box(GTK_ORIENTATION_VERTICAL, spacing: 3, [entry, fit] + sizes)
      gtk_popover_set_child(cast(popover, to: GtkPopover.self), content)
      SignalSource(entry).on("activate") { [weak self] _ in self?.chooseTyped() }
      SignalSource(popover).on("show") { [weak self] _ in
        guard let self, shown > 0 else { return }
        gtk_editable_set_text(OpaquePointer(entry), "\(shown)")
      }
    }

    isolated deinit { g_object_unref(ObjectPointer(widget)) }

    /// Shows a size; a dash where there is no picture.
    func show(_ scale: Double?) {
      let percent = scale.map { max(1, Int(clamping: $0 * 100, rounded: .toNearestOrAwayFromZero)) } ?? 0
      guard percent != shown else { return }
      shown = percent
      let text = percent == 0 ? "–" : Self.text(percent)
      gtk_widget_set_sensitive(widget, percent == 0 ? 0 : 1)
      gtk_label_set_text(OpaquePointer(percentage), text)
      AccessibleName.set(
        percent == 0 ? tr("Size of the picture") : tr("Size of the picture: %1", text), of: widget)
    }

    /// A number in per cent, as the locale writes it.
    private static func text(_ percent: Int) -> String {
      (Double(percent) / 100).formatted(.percent.precision(.fractionLength(0)).locale(Texts.locale))
    }

    private func choice(_ title: String, _ scale: @escaping @MainActor () -> Double?) -> Widget {
      let button: Widget = gtk_button_new_with_label(title)
      gtk_widget_add_css_class(button, "flat")
      SignalSource(button).on("clicked") { [weak self] _ in self?.choose(scale()) }
      return button
    }

    private func choose(_ scale: Double?) {
      gtk_popover_popdown(cast(popover, to: GtkPopover.self))
      onChoice(scale)
    }

    private func chooseTyped() {
      let text = String(cString: gtk_editable_get_text(OpaquePointer(entry)))
      // With either decimal separator, and with or without the sign.
      let number = text.replacing(",", with: ".").filter { $0.isASCII && $0.isNumber || $0 == "." }.prefix(6)
      guard let percent = Double(number), percent > 0 else { return }
      choose(percent / 100)
    }
  }
#endif
