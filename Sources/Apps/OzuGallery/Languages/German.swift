extension Language {
  /// The texts in German: the English ones, which are their keys, and behind an equals sign the translations.
  static let german = Language(
    texts: """
      Previous picture = Voriges Bild
      Next picture = Nächstes Bild
      Leave full screen = Vollbild verlassen
      Cannot be copied: %1 = Kann nicht kopiert werden: %1
      Shows pictures with the image library Ozu. = Zeigt Bilder mit der Bildbibliothek Ozu.
      Pictures = Bilder
      Open Pictures = Bilder öffnen
      Open a Folder = Ordner öffnen
      Nothing can be opened: %1 = Es kann nichts geöffnet werden: %1
      Only files of this machine can go to the trash = Nur Dateien dieses Rechners können in den Papierkorb
      Moving “%1” to the trash = „%1“ kommt in den Papierkorb
      Moving %1 pictures to the trash = %1 Bilder kommen in den Papierkorb
      Not moved to the trash: %1 = Nicht in den Papierkorb verschoben: %1
      The folder cannot be opened: %1 = Der Ordner kann nicht geöffnet werden: %1
      Cannot Be Opened = Kann nicht geöffnet werden
      Size of the cells = Größe der Felder
      Search = Suchen
      Main menu = Hauptmenü
      Select nothing = Nichts auswählen
      Move to trash = In den Papierkorb
      Move to a folder = In einen Ordner verschieben
      Copy to a folder = In einen Ordner kopieren
      Turn clockwise = Rechts drehen
      %1 selected = %1 ausgewählt
      Only files of this machine can be copied and moved = Nur Dateien dieses Rechners können kopiert und verschoben werden
      Copy to a Folder = In einen Ordner kopieren
      Move to a Folder = In einen Ordner verschieben
      Copied to “%1” = Nach „%1“ kopiert
      %1 pictures copied to “%2” = %1 Bilder nach „%2“ kopiert
      Moved to “%1” = Nach „%1“ verschoben
      %1 pictures moved to “%2” = %1 Bilder nach „%2“ verschoben
      Renamed to “%1” = In „%1“ umbenannt
      part = Ausschnitt
      Saved as “%1” = Als „%1“ gespeichert
      The copy cannot be saved: %1 = Die Kopie kann nicht gespeichert werden: %1
      straightened = begradigt
      Straighten = Begradigen
      Strai_ghten… = Be_gradigen …
      _Save Copy = Kopie _sichern
      Angle in degrees = Winkel in Grad
      Print = Drucken
      Print and Sen_d = Drucken und sen_den
      Pr_int… = _Drucken …
      Send by _E-mail… = Per E-Ma_il senden …
      Set as Wa_llpaper = _Als Hintergrundbild
      Not printed: %1 = Nicht gedruckt: %1
      The wallpaper is set = Das Hintergrundbild ist gesetzt
      The wallpaper is not set: %1 = Das Hintergrundbild ist nicht gesetzt: %1
      The pictures cannot be sent: %1 = Die Bilder können nicht gesendet werden: %1
      This desktop lets no program set the wallpaper = Dieser Desktop lässt Programme kein Hintergrundbild setzen
      This desktop has no way to send pictures = Dieser Desktop hat keinen Weg, Bilder zu senden
      This desktop has no list of programs = Dieser Desktop hat keine Liste von Programmen
      the desktop gives no reason = der Desktop nennt keinen Grund
      Save the visible part = Ausschnitt speichern
      Sa_ve Visible Part = Ausschnitt s_peichern
      No stars = Keine Sterne
      The stars cannot be written: %1 = Die Sterne können nicht geschrieben werden: %1
      The program cannot be started: %1 = Das Programm kann nicht gestartet werden: %1
      Rename = Umbenennen
      New name = Neuer Name
      _Rename = _Umbenennen
      A file needs a name = Eine Datei braucht einen Namen
      “/” cannot be part of a name = „/“ kann nicht in einem Namen stehen
      The name is too long = Der Name ist zu lang
      Not turned in the file: %1 = In der Datei nicht gedreht: %1
      “%1” turned = „%1“ gedreht
      %1 pictures turned = %1 Bilder gedreht
      the file is too large = die Datei ist zu groß
      the file is damaged = die Datei ist beschädigt
      %1 files cannot keep a turn = %1-Dateien können keine Drehung speichern
      All pictures = Alle Bilder
      Smaller = Kleiner
      Larger = Größer
      Full screen = Vollbild
      Open pictures = Bilder öffnen
      Folder above = Übergeordneter Ordner
      Nothing Found = Nichts gefunden
      No picture has such a name. = Kein Bild heißt so.
      No picture here has stars. = Kein Bild hier hat Sterne.
      Look at Pictures = Bilder ansehen
      Open a folder or pictures, or drop them here. = Öffnen Sie einen Ordner oder Bilder, oder ziehen Sie sie hierher.
      No Pictures Here = Hier sind keine Bilder
      “%1” has no pictures that this program can show. = „%1“ hat keine Bilder, die dieses Programm zeigen kann.
      %1 of %2 = %1 von %2
      1 picture = 1 Bild
      %1 pictures = %1 Bilder
      _Open Pictures… = _Bilder öffnen …
      Open _Folder… = _Ordner öffnen …
      S_ort = Sor_tieren
      By _Name = Nach _Namen
      By _Date = Nach _Datum
      By _Size = Nach _Größe
      _Reversed = _Umgekehrt
      Select _All = _Alle auswählen
      Only with S_tars = Nur mit _Sternen
      Show _Names = _Namen zeigen
      Show F_ilmstrip = _Filmstreifen zeigen
      _Slideshow = _Diaschau
      F_ull Screen = _Vollbild
      _Preferences = _Einstellungen
      _Keyboard Shortcuts = _Tastenkürzel
      _About Gallery = _Info zu Gallery
      _Open = Ö_ffnen
      Open _With = Öffnen _mit
      _Another Program… = _Anderes Programm …
      _Copy = _Kopieren
      Turn _Clockwise = _Rechts drehen
      Turn _Anticlockwise = _Links drehen
      _None = _Keine
      Sta_rs = S_terne
      Copy _to… = Kopieren _nach …
      _Move to… = _Verschieben nach …
      Re_name… = _Umbenennen …
      Move to Tras_h = In den _Papierkorb
      _Show in Folder = Im _Ordner zeigen
      _Properties = _Eigenschaften
      N = N
      S = S
      W = W
      E = O
      Name = Name
      Folder = Ordner
      Address = Adresse
      Size = Größe
      Changed = Geändert
      Error = Fehler
      Stars = Sterne
      Note = Hinweis
      Came from = Kam aus
      Title = Titel
      Caption = Beschreibung
      Subjects = Stichwörter
      Type = Format
      Dimensions = Abmessungen
      %1 × %2 pixels = %1 × %2 Pixel
      Colour = Farbe
      %1, %2 bits = %1, %2 Bit
      , transparent = , durchsichtig
      Colour profile = Farbprofil
      Frames = Einzelbilder
      Taken = Aufgenommen
      Camera = Kamera
      Lens = Objektiv
      Exposure = Belichtung
      memory = dem Speicher
      the disk cache, at this size = dem Cache auf der Platte, in dieser Größe
      the file = der Datei
      the disk cache = dem Cache auf der Platte
      a cache, confirmed by the server = einem Cache, vom Server bestätigt
      a cache, past its lifetime = einem Cache, nach Ablauf
      a larger picture in a cache = einem größeren Bild im Cache
      the network = dem Netz
      Folder %1 = Ordner %1
      %1, %2 of %3 = %1, %2 von %3
      %1 stars = %1 Sterne
      there is no option '%1'; 'ozu-gallery --help' lists them = es gibt keine Option „%1“; „ozu-gallery --help“ nennt sie
      Gallery = Galerie
      %1 drawn pictures = %1 gezeichnete Bilder
      Cover = Füllen
      Fit = Einpassen
      Stretch = Strecken
      Preferences = Einstellungen
      Fill of cells = Bild im Feld
      Round corners = Runde Ecken
      Appearance = Aussehen
      Same as the desktop = Wie der Schreibtisch
      Light = Hell
      Dark = Dunkel
      Seconds of a slide = Sekunden je Bild
      Properties = Eigenschaften
      Show on a map = Auf einer Karte zeigen
      Place = Ort
      _All metadata = _Alle Metadaten
      Open a folder = Ordner öffnen
      Copy = Kopieren
      Undo = Rückgängig
      Picture on the left = Bild links
      Picture on the right = Bild rechts
      First picture = Erstes Bild
      Last picture = Letztes Bild
      Fit to the window = Ins Fenster einpassen
      Own pixels = Originalgröße
      Turn anticlockwise = Links drehen
      Back to all pictures = Zurück zu allen Bildern
      Larger cells = Größere Felder
      Smaller cells = Kleinere Felder
      Select all = Alle auswählen
      Slideshow = Diaschau
      Show names = Namen zeigen
      Show the filmstrip = Filmstreifen zeigen
      Keyboard shortcuts = Tastenkürzel
      Close the window = Fenster schließen
      Quit = Beenden
      Files = Dateien
      One picture = Ein Bild
      Window = Fenster
      Open _Pictures… = _Bilder öffnen …
      Size of the picture = Größe des Bildes
      Per cent = Prozent
      Size of the picture: %1 = Größe des Bildes: %1
      """,
    help: """
      Aufruf: ozu-gallery [ORDNER | BILD … | DATEI]

      Zeigt Bilder: die eines Ordners, einzelne, oder die der Adressen in einer
      Textdatei (.txt), eine in jeder Zeile. Ein Bild erscheint groß, zwischen denen
      seines Ordners. Ohne Argumente fragt das Fenster, was es öffnen soll.

        ozu-gallery ~/Bilder
        ozu-gallery hafen.jpg
        ozu-gallery adressen.txt

        --demo         10.000 Bilder, die das Programm selbst zeichnet
        -h, --help     dieser Text
        -V, --version  die Version

      Im Fenster nennt Strg+? die Tasten.
      """)
}
