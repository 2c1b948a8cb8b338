#if GTK
  import Foundation
  import OzuBase

  /// The texts of the widgets of this module: why there is no picture, `Try Again`, `Pause`.
  ///
  /// They are in English, German, French or Spanish, chosen as gettext does (`LANGUAGE`, `LC_ALL`, `LC_MESSAGES`, `LANG`). An app
  /// with other languages, or with words of its own, translates them itself:
  ///
  /// ```swift
  /// let dutch = ["Try Again": "Opnieuw proberen", "Pause": "Pauzeren"]
  /// ToolkitTexts.translate { text in dutch[text] }
  /// ```
  public enum ToolkitTexts {
    private static let own = Mutex<(@Sendable (String) -> String?)?>(nil)

    /// Sets who translates the texts. Widgets ask when they show a text; what is shown already stays.
    ///
    /// - Parameter translation: gets a text in English, in which `%1` and so on stand for values, and returns it in the words of the
    ///   app; `nil` leaves it to the module. `nil` instead of a closure leaves all.
    public static func translate(_ translation: (@Sendable (String) -> String?)?) {
      own.withLock { $0 = translation }
    }

    /// All texts in English, as translations get them.
    public static var all: [String] { catalogues.values.first.map { $0.table.keys.sorted() } ?? [] }

    /// The translations, by the code of their language.
    package static let catalogues: [String: TextCatalogue] = ["de": german, "fr": french, "es": spanish]

    private static let current: [String: String] =
      UserLanguage.code(in: ProcessInfo.processInfo.environment, among: catalogues.keys)
      .flatMap { catalogues[$0]?.table } ?? [:]

    /// A text in the words of the app or in the language of the user; `nil` if it has no translation.
    static func translated(_ text: String) -> String? {
      let own = own.withLock { $0 }
      return own?(text) ?? current[text]
    }

    /// A text in the words of the app, in the language of the user, or in English.
    static func text(_ text: String, _ values: String...) -> String {
      TextCatalogue.fill(translated(text) ?? text, values)
    }
  }

  extension ToolkitTexts {
    static let german = TextCatalogue(
      """
      Pictures = Bilder
      %1, %2 of %3 = %1, %2 von %3
      Play = Abspielen
      Pause = Anhalten
      Try Again = Neuer Versuch
      Try again = Noch einmal versuchen
      File Not Found = Datei nicht gefunden
      This Is a Folder = Das ist ein Ordner
      Cannot Be Read = Nicht lesbar
      Not Found = Nicht gefunden
      Server Trouble = Fehler des Servers
      No Connection = Keine Verbindung
      Took Too Long = Dauert zu lange
      Connection Lost = Abgebrochen
      Bad Address = Falsche Adresse
      Empty File = Leere Datei
      Not a Picture = Kein Bild
      Unknown Format = Fremdes Format
      Damaged Picture = Bild beschädigt
      Too Large = Zu groß
      Cannot Be Shown = Nicht darstellbar
      There is no such file = Es gibt keine solche Datei
      This is a folder, not a picture = Das ist ein Ordner und kein Bild
      The file cannot be read = Die Datei kann nicht gelesen werden
      The server answered %1 = Der Server hat mit %1 geantwortet
      The server cannot be reached = Der Server ist nicht erreichbar
      The picture did not come in time = Das Bild ist nicht rechtzeitig gekommen
      The connection broke off = Die Verbindung ist abgebrochen
      This is not the address of a picture = Das ist nicht die Adresse eines Bildes
      The file is empty = Die Datei ist leer
      The file is not a picture = Die Datei ist kein Bild
      This program cannot read the format of the file = Dieses Programm kann das Format der Datei nicht lesen
      The file is damaged = Die Datei ist beschädigt
      The picture is too large for this program = Das Bild ist zu groß für dieses Programm
      """)

    static let french = TextCatalogue(
      """
      Pictures = Images
      %1, %2 of %3 = %1, %2 sur %3
      Play = Lire
      Pause = Pause
      Try Again = Réessayer
      Try again = Réessayer
      File Not Found = Fichier introuvable
      This Is a Folder = C’est un dossier
      Cannot Be Read = Illisible
      Not Found = Introuvable
      Server Trouble = Erreur du serveur
      No Connection = Pas de connexion
      Took Too Long = Délai dépassé
      Connection Lost = Interrompu
      Bad Address = Adresse erronée
      Empty File = Fichier vide
      Not a Picture = Pas une image
      Unknown Format = Format inconnu
      Damaged Picture = Image abîmée
      Too Large = Trop grande
      Cannot Be Shown = Non affichable
      There is no such file = Ce fichier n’existe pas
      This is a folder, not a picture = C’est un dossier, pas une image
      The file cannot be read = Le fichier ne peut pas être lu
      The server answered %1 = Le serveur a répondu %1
      The server cannot be reached = Le serveur ne peut pas être joint
      The picture did not come in time = L’image n’est pas arrivée à temps
      The connection broke off = La connexion a été interrompue
      This is not the address of a picture = Ce n’est pas l’adresse d’une image
      The file is empty = Le fichier est vide
      The file is not a picture = Le fichier n’est pas une image
      This program cannot read the format of the file = Ce programme ne sait pas lire le format du fichier
      The file is damaged = Le fichier est endommagé
      The picture is too large for this program = L’image est trop grande pour ce programme
      """)

    static let spanish = TextCatalogue(
      """
      Pictures = Imágenes
      %1, %2 of %3 = %1, %2 de %3
      Play = Reproducir
      Pause = Pausa
      Try Again = Reintentar
      Try again = Reintentar
      File Not Found = No hay archivo
      This Is a Folder = Es una carpeta
      Cannot Be Read = Ilegible
      Not Found = No encontrada
      Server Trouble = Error del servidor
      No Connection = Sin conexión
      Took Too Long = Tarda demasiado
      Connection Lost = Interrumpida
      Bad Address = Dirección errónea
      Empty File = Archivo vacío
      Not a Picture = No es imagen
      Unknown Format = Formato extraño
      Damaged Picture = Imagen dañada
      Too Large = Muy grande
      Cannot Be Shown = No se puede ver
      There is no such file = No existe ese archivo
      This is a folder, not a picture = Es una carpeta, no una imagen
      The file cannot be read = No se puede leer el archivo
      The server answered %1 = El servidor ha contestado %1
      The server cannot be reached = No se puede llegar al servidor
      The picture did not come in time = La imagen no ha llegado a tiempo
      The connection broke off = Se ha cortado la conexión
      This is not the address of a picture = No es la dirección de una imagen
      The file is empty = El archivo está vacío
      The file is not a picture = El archivo no es una imagen
      This program cannot read the format of the file = Este programa no sabe leer el formato del archivo
      The file is damaged = El archivo está dañado
      The picture is too large for this program = La imagen es demasiado grande para este programa
      """)
  }
#endif
