#if GTK
  import CGTK
  import Foundation
  import Ozu
  import OzuGTK
  import OzuTesting

  extension Drills {
    /// Views are destroyed at every moment of their pictures' lives: nothing is left behind, and GTK has no complaint.
    func destruction() async throws {
      let checks = Checks()
      let moments = Moment.allCases
      for round in 0..<(options.isQuick ? 2 : 12) {
        for moment in moments { try await destroy(at: moment, round, checks) }
      }
      output.add(
        "destruction", checks, detail: "views destroyed at \(moments.count) moments leave nothing behind")
    }

    private enum Moment: String, CaseIterable {
      /// In the same turn of the loop.
      case atOnce
      /// The window has been drawn once.
      case afterAFrame
      /// The server has the question.
      case whileWaiting
      /// A part of the file has come.
      case whileComing
      /// The picture is fading in.
      case inTheFade
      /// A larger picture has been asked for.
      case whileGrowing
      /// It moves.
      case whilePlaying
      /// The original is on its way to the clipboard.
      case whileCopying
      /// The view is taken out of its window, which stays.
      case outOfTheWindow
    }

    private func destroy(at moment: Moment, _ round: Int, _ checks: Checks) async throws {
      let (gate, server) = (Gate(), try LoopbackServer())
      defer { server.stop() }
      let moving = DrawnAnimation.gif(width: 200, height: 150, frameCount: 4)
      let file = moment == .whilePlaying ? moving : try NumberedPicture(12, size: .init(900, 600)).data()
      server.route("/a") { _ in .ok(file).dripping(1 << 10, through: gate) }
      let pipeline = ImagePipeline {
        $0.caching.diskStorage = .none
        $0.decoding.isProgressiveDecodingEnabled = true
      }
      weak var binding: ImageBinding?
      let watch = Self.window(with: gtk_label_new("\(moment)"))
      defer { gtk_window_destroy(watch) }
      let screen = Screen(watch)
      try await {
        let view = ImageView(pipeline: pipeline)
        view.isDraggable = true
        binding = view.images
        let box: UnsafeMutablePointer<GtkWidget> = gtk_box_new(GTK_ORIENTATION_VERTICAL, 0)
        gtk_widget_set_vexpand(view.widget, 1)
        let boxPointer = UnsafeMutableRawPointer(box).assumingMemoryBound(to: GtkBox.self)
        gtk_box_append(boxPointer, view.widget)
        let window = Self.window(with: box)
        view.setImage(from: server.url("/a"))
        try await reach(moment, view, window, gate, server, screen, checks)
        for _ in 0..<(round % 4) { await screen.nextFrame() }
        if moment == .outOfTheWindow {
          gtk_box_remove(boxPointer, view.widget)
          await screen.nextFrame()
        }
        gtk_window_destroy(window)
      }()
      gate.open()
      await checks.eventually("\(moment): the binding goes with its view", screen) { binding == nil }
      await checks.eventually("\(moment): no work goes on", screen) { pipeline.diagnostics().jobs.isEmpty }
    }

    private func reach(
      _ moment: Moment, _ view: ImageView, _ window: UnsafeMutablePointer<GtkWindow>, _ gate: Gate,
      _ server: LoopbackServer, _ screen: Screen, _ checks: Checks
    ) async throws {
      switch moment {
      case .atOnce: return
      case .afterAFrame: return await screen.nextFrame()
      default: break
      }
      await checks.eventually("\(moment): the server is asked", screen) { gate.waitingCount == 1 }
      switch moment {
      case .whileWaiting, .outOfTheWindow, .atOnce, .afterAFrame: break
      case .whileComing:
        gate.admit(2)
        await checks.eventually("\(moment): a part has come", screen) { gate.arrivalCount >= 3 }
      case .inTheFade, .whilePlaying:
        gate.open()
        await checks.eventually("\(moment): the picture is there", screen) { view.images.picture != nil }
      case .whileGrowing, .whileCopying:
        gate.open()
        await checks.eventually("\(moment): the picture is there", screen) { view.images.picture != nil }
        gate.close()
        if moment == .whileGrowing {
          gtk_window_set_default_size(window, 420, 320)
          await checks.eventually("\(moment): a larger one is asked for", screen) { view.images.isLoading }
        } else {
          Task { try? await view.copyToClipboard() }
          await checks.eventually("\(moment): the original is asked for", screen) { server.requestCount == 2 }
        }
      }
    }
  }
#endif
