import CGTK
import Foundation
import Ozu
import OzuGTK

gtk_init()
GLibMainLoop.attach()

let view = ZoomView()
view.alternativeText = "The photograph"
let path = CommandLine.arguments.dropFirst().first ?? "photo.jpg"
view.setImage(fromFile: path, placeholder: .color(Pixel(red: 222, green: 222, blue: 222)))

let widget: UnsafeMutablePointer<GtkWidget> = gtk_window_new()
let window = UnsafeMutableRawPointer(widget).assumingMemoryBound(to: GtkWindow.self)
gtk_window_set_title(window, URL(filePath: path).lastPathComponent)
gtk_window_set_default_size(window, 640, 480)
gtk_window_set_child(window, view.widget)
SignalSource(widget).on("destroy") { _ in GLibMainLoop.quit() }
gtk_window_present(window)
GLibMainLoop.run()
