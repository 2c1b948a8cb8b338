#if GTK
  import CGTK
  import Ozu
  import OzuGTK

  /// The button whose popover says how pictures look and what they may take.
  @MainActor
  final class Preferences {
    /// The button, for the header bar.
    let widget: UnsafeMutablePointer<GtkWidget>
    /// Called after each change.
    var onChange: @MainActor (PictureStyle) -> Void = { _ in }
    private var style = PictureStyle() {
      didSet { onChange(style) }
    }

    private static let modes: [(title: String, mode: ScaleMode)] = [
      ("Cover", .aspectFill), ("Fit", .aspectFit), ("Stretch", .fill),
    ]
    private static let sizes: [(title: String, size: PictureStyle.Size)] = [
      ("As the cell", .cell), ("Small", .small), ("Large", .large),
    ]

    init(pipeline: ImagePipeline) {
      widget = gtk_menu_button_new()
      g_object_ref_sink(ObjectPointer(widget))
      gtk_menu_button_set_icon_name(OpaquePointer(widget), "open-menu-symbolic")
      gtk_widget_set_tooltip_text(widget, "Preferences")
      let rows = [
        choiceRow("Pictures", Self.modes.map(\.title)) { [weak self] in self?.style.mode = Self.modes[$0].mode
        },
        choiceRow("Format", Self.sizes.map(\.title)) { [weak self] in self?.style.size = Self.sizes[$0].size
        },
        switchRow("Round corners") { [weak self] in self?.style.hasRoundedCorners = $0 },
        switchRow("Grey") { [weak self] in self?.style.isGrey = $0 },
        switchRow("Blurred") { [weak self] in self?.style.isBlurred = $0 },
        switchRow("Dark") { Look.isDark = $0 }, budgetRow(pipeline),
      ]
      let content = box(GTK_ORIENTATION_VERTICAL, spacing: 12, rows)
      for setMargin in [
        gtk_widget_set_margin_top, gtk_widget_set_margin_bottom, gtk_widget_set_margin_start,
        gtk_widget_set_margin_end,
      ] {
        setMargin(content, 12)
      }
      let popover: UnsafeMutablePointer<GtkWidget> = gtk_popover_new()
      gtk_popover_set_child(
        UnsafeMutableRawPointer(popover).assumingMemoryBound(to: GtkPopover.self), content)
      gtk_menu_button_set_popover(OpaquePointer(widget), popover)
    }

    isolated deinit {
      g_object_unref(ObjectPointer(widget))
    }

    /// What the disk cache may take, in megabytes.
    private func budgetRow(_ pipeline: ImagePipeline) -> UnsafeMutablePointer<GtkWidget> {
      let field: UnsafeMutablePointer<GtkWidget> = gtk_spin_button_new_with_range(16, 4096, 16)
      gtk_spin_button_set_value(OpaquePointer(field), Double(DiskStorage.standardCapacity >> 20))
      gtk_widget_set_hexpand(field, 1)
      connect(ObjectPointer(field), "value-changed") { field in
        let capacity = Int(gtk_spin_button_get_value(OpaquePointer(field))) << 20
        // Evicting is work for the disk's own threads.
        Task.detached { pipeline.diskCache?.setCapacity(capacity) }
      }
      return box(GTK_ORIENTATION_HORIZONTAL, spacing: 12, [gtk_label_new("Disk, MB"), field])
    }
  }
#endif
