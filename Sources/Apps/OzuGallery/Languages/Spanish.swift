extension Language {
  /// The texts in Spanish: the English ones, which are their keys, and behind an equals sign the translations.
  static let spanish = Language(
    texts: """
      Previous picture = Imagen anterior
      Next picture = Imagen siguiente
      Leave full screen = Salir de pantalla completa
      Cannot be copied: %1 = No se puede copiar: %1
      Shows pictures with the image library Ozu. = Muestra imágenes con la biblioteca Ozu.
      Pictures = Imágenes
      Open Pictures = Abrir imágenes
      Open a Folder = Abrir una carpeta
      Nothing can be opened: %1 = No se puede abrir nada: %1
      Only files of this machine can go to the trash = Solo los archivos de este equipo van a la papelera
      Moving “%1” to the trash = «%1» va a la papelera
      Moving %1 pictures to the trash = %1 imágenes van a la papelera
      Not moved to the trash: %1 = No se movió a la papelera: %1
      The folder cannot be opened: %1 = No se puede abrir la carpeta: %1
      Cannot Be Opened = No se puede abrir
      Size of the cells = Tamaño de las miniaturas
      Search = Buscar
      Main menu = Menú principal
      Select nothing = No seleccionar nada
      Move to trash = Mover a la papelera
      Move to a folder = Mover a una carpeta
      Copy to a folder = Copiar a una carpeta
      Turn clockwise = Girar a la derecha
      %1 selected = Selección: %1
      Only files of this machine can be copied and moved = Solo se pueden copiar y mover archivos de este equipo
      Copy to a Folder = Copiar a una carpeta
      Move to a Folder = Mover a una carpeta
      Copied to “%1” = Copiada a «%1»
      %1 pictures copied to “%2” = %1 imágenes copiadas a «%2»
      Moved to “%1” = Movida a «%1»
      %1 pictures moved to “%2” = %1 imágenes movidas a «%2»
      Renamed to “%1” = Ahora se llama «%1»
      part = parte
      Saved as “%1” = Guardada como «%1»
      The copy cannot be saved: %1 = No se puede guardar la copia: %1
      straightened = enderezada
      Straighten = Enderezar
      Strai_ghten… = Ende_rezar…
      _Save Copy = _Guardar una copia
      Angle in degrees = Ángulo en grados
      Print = Imprimir
      Print and Sen_d = Imprimir y env_iar
      Pr_int… = _Imprimir…
      Send by _E-mail… = Enviar por _correo…
      Set as Wa_llpaper = Usar como _fondo
      Not printed: %1 = No impreso: %1
      The wallpaper is set = El fondo está puesto
      The wallpaper is not set: %1 = El fondo no está puesto: %1
      The pictures cannot be sent: %1 = No se pueden enviar las imágenes: %1
      This desktop lets no program set the wallpaper = Este escritorio no deja que los programas pongan el fondo
      This desktop has no way to send pictures = Este escritorio no tiene cómo enviar imágenes
      This desktop has no list of programs = Este escritorio no tiene lista de programas
      the desktop gives no reason = el escritorio no da ninguna razón
      Save the visible part = Guardar la parte visible
      Sa_ve Visible Part = _Guardar la parte visible
      No stars = Sin estrellas
      The stars cannot be written: %1 = No se pueden escribir las estrellas: %1
      The program cannot be started: %1 = No se puede iniciar el programa: %1
      Rename = Cambiar el nombre
      New name = Nombre nuevo
      _Rename = _Cambiar
      A file needs a name = Un archivo necesita un nombre
      “/” cannot be part of a name = «/» no puede estar en un nombre
      The name is too long = El nombre es demasiado largo
      Not turned in the file: %1 = No se giró en el archivo: %1
      “%1” turned = «%1» girada
      %1 pictures turned = %1 imágenes giradas
      the file is too large = el archivo es demasiado grande
      the file is damaged = el archivo está dañado
      %1 files cannot keep a turn = los archivos %1 no guardan el giro
      All pictures = Todas las imágenes
      Smaller = Más pequeña
      Larger = Más grande
      Full screen = Pantalla completa
      Open pictures = Abrir imágenes
      Folder above = Carpeta superior
      Nothing Found = Nada encontrado
      No picture has such a name. = Ninguna imagen se llama así.
      No picture here has stars. = Ninguna imagen aquí tiene estrellas.
      Look at Pictures = Ver imágenes
      Open a folder or pictures, or drop them here. = Abra una carpeta o imágenes, o suéltelas aquí.
      No Pictures Here = No hay imágenes aquí
      “%1” has no pictures that this program can show. = «%1» no tiene imágenes que este programa pueda mostrar.
      %1 of %2 = %1 de %2
      1 picture = 1 imagen
      %1 pictures = %1 imágenes
      _Open Pictures… = _Abrir imágenes…
      Open _Folder… = Abrir una _carpeta…
      S_ort = Or_denar
      By _Name = Por _nombre
      By _Date = Por _fecha
      By _Size = Por _tamaño
      _Reversed = Orden _inverso
      Select _All = _Seleccionar todo
      Only with S_tars = Solo con _estrellas
      Show _Names = Mostrar _nombres
      Show F_ilmstrip = Mostrar la _tira
      _Slideshow = _Presentación
      F_ull Screen = _Pantalla completa
      _Preferences = _Preferencias
      _Keyboard Shortcuts = A_tajos de teclado
      _About Gallery = Ace_rca de Gallery
      _Open = _Abrir
      Open _With = Abrir c_on
      _Another Program… = _Otro programa…
      _Copy = _Copiar
      Turn _Clockwise = Girar a la _derecha
      Turn _Anticlockwise = Girar a la _izquierda
      _None = _Ninguna
      Sta_rs = _Estrellas
      Copy _to… = Copiar _a…
      _Move to… = _Mover a…
      Re_name… = Cambiar el _nombre…
      Move to Tras_h = Mover a la _papelera
      _Show in Folder = Mostrar en la ca_rpeta
      _Properties = _Propiedades
      N = N
      S = S
      W = O
      E = E
      Name = Nombre
      Folder = Carpeta
      Address = Dirección
      Size = Tamaño
      Changed = Modificado
      Error = Error
      Stars = Estrellas
      Note = Nota
      Came from = Procedencia
      Title = Título
      Caption = Descripción
      Subjects = Temas
      Type = Tipo
      Dimensions = Dimensiones
      %1 × %2 pixels = %1 × %2 píxeles
      Colour = Color
      %1, %2 bits = %1, %2 bits
      , transparent = , transparente
      Colour profile = Perfil de color
      Frames = Fotogramas
      Taken = Tomada
      Camera = Cámara
      Lens = Objetivo
      Exposure = Exposición
      memory = la memoria
      the disk cache, at this size = la caché del disco, en este tamaño
      the file = el archivo
      the disk cache = la caché del disco
      a cache, confirmed by the server = una caché, confirmada por el servidor
      a cache, past its lifetime = una caché, caducada
      a larger picture in a cache = una imagen mayor de la caché
      the network = la red
      Folder %1 = Carpeta %1
      %1, %2 of %3 = %1, %2 de %3
      %1 stars = %1 estrellas
      there is no option '%1'; 'ozu-gallery --help' lists them = no existe la opción «%1»; «ozu-gallery --help» las muestra
      Gallery = Galería
      %1 drawn pictures = %1 imágenes dibujadas
      Cover = Rellenar
      Fit = Ajustar
      Stretch = Estirar
      Preferences = Preferencias
      Fill of cells = Imagen en la miniatura
      Round corners = Esquinas redondas
      Appearance = Apariencia
      Same as the desktop = Como el escritorio
      Light = Claro
      Dark = Oscuro
      Seconds of a slide = Segundos por imagen
      Properties = Propiedades
      Show on a map = Mostrar en un mapa
      Place = Lugar
      _All metadata = _Todos los metadatos
      Open a folder = Abrir una carpeta
      Copy = Copiar
      Undo = Deshacer
      Picture on the left = Imagen de la izquierda
      Picture on the right = Imagen de la derecha
      First picture = Primera imagen
      Last picture = Última imagen
      Fit to the window = Ajustar a la ventana
      Own pixels = Tamaño real
      Turn anticlockwise = Girar a la izquierda
      Back to all pictures = Volver a todas las imágenes
      Larger cells = Miniaturas más grandes
      Smaller cells = Miniaturas más pequeñas
      Select all = Seleccionar todo
      Slideshow = Presentación
      Show names = Mostrar nombres
      Show the filmstrip = Mostrar la tira
      Keyboard shortcuts = Atajos de teclado
      Close the window = Cerrar la ventana
      Quit = Salir
      Files = Archivos
      One picture = Una imagen
      Window = Ventana
      Open _Pictures… = Abrir _imágenes…
      Size of the picture = Tamaño de la imagen
      Per cent = Por ciento
      Size of the picture: %1 = Tamaño de la imagen: %1
      """,
    help: """
      Uso: ozu-gallery [CARPETA | IMAGEN… | ARCHIVO]

      Muestra imágenes: las de una carpeta, sueltas, o las de las direcciones de un
      archivo de texto (.txt), una en cada línea. Una imagen se ve en grande, entre
      las de su carpeta. Sin argumentos, la ventana pregunta qué abrir.

        ozu-gallery ~/Imágenes
        ozu-gallery puerto.jpg
        ozu-gallery direcciones.txt

        --demo         10.000 imágenes que el programa dibuja
        -h, --help     este texto
        -V, --version  la versión

      En la ventana, Ctrl+? muestra las teclas.
      """)
}
