// `ozu-gallery`: a window full of pictures. Not `async`: the main actor must stay on GTK's thread.
#if GTK
  import OzuGallery

  Gallery.main(Array(CommandLine.arguments.dropFirst()))
#else
  import Foundation

  FileHandle.standardError.write(Data("ozu-gallery needs GTK 4: build it with 'make gallery'.\n".utf8))
  exit(1)
#endif
