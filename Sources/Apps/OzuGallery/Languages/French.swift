extension Language {
  /// The texts in French: the English ones, which are their keys, and behind an equals sign the translations.
  static let french = Language(
    texts: """
      Previous picture = Image précédente
      Next picture = Image suivante
      Leave full screen = Quitter le plein écran
      Cannot be copied: %1 = Copie impossible : %1
      Shows pictures with the image library Ozu. = Affiche des images avec la bibliothèque Ozu.
      Pictures = Images
      Open Pictures = Ouvrir des images
      Open a Folder = Ouvrir un dossier
      Nothing can be opened: %1 = Rien ne peut être ouvert : %1
      Only files of this machine can go to the trash = Seuls les fichiers de cet ordinateur vont à la corbeille
      Moving “%1” to the trash = « %1 » va à la corbeille
      Moving %1 pictures to the trash = %1 images vont à la corbeille
      Not moved to the trash: %1 = Pas mis à la corbeille : %1
      The folder cannot be opened: %1 = Le dossier ne peut pas être ouvert : %1
      Cannot Be Opened = Ouverture impossible
      Size of the cells = Taille des vignettes
      Search = Rechercher
      Main menu = Menu principal
      Select nothing = Ne rien sélectionner
      Move to trash = Mettre à la corbeille
      Move to a folder = Déplacer vers un dossier
      Copy to a folder = Copier vers un dossier
      Turn clockwise = Tourner à droite
      %1 selected = Sélection : %1
      Only files of this machine can be copied and moved = Seuls les fichiers de cet ordinateur peuvent être copiés et déplacés
      Copy to a Folder = Copier vers un dossier
      Move to a Folder = Déplacer vers un dossier
      Copied to “%1” = Copié dans « %1 »
      %1 pictures copied to “%2” = %1 images copiées dans « %2 »
      Moved to “%1” = Déplacé dans « %1 »
      %1 pictures moved to “%2” = %1 images déplacées dans « %2 »
      Renamed to “%1” = Renommé en « %1 »
      part = partie
      Saved as “%1” = Enregistré sous « %1 »
      The copy cannot be saved: %1 = La copie ne peut pas être enregistrée : %1
      straightened = redressée
      Straighten = Redresser
      Strai_ghten… = Re_dresser…
      _Save Copy = _Enregistrer une copie
      Angle in degrees = Angle en degrés
      Print = Imprimer
      Print and Sen_d = Imprimer et envo_yer
      Pr_int… = _Imprimer…
      Send by _E-mail… = Envoyer par _e-mail…
      Set as Wa_llpaper = Définir comme _fond d’écran
      Not printed: %1 = Pas imprimé : %1
      The wallpaper is set = Le fond d’écran est défini
      The wallpaper is not set: %1 = Le fond d’écran n’est pas défini : %1
      The pictures cannot be sent: %1 = Les images ne peuvent pas être envoyées : %1
      This desktop lets no program set the wallpaper = Ce bureau ne laisse aucun programme définir le fond d’écran
      This desktop has no way to send pictures = Ce bureau n’a aucun moyen d’envoyer des images
      This desktop has no list of programs = Ce bureau n’a pas de liste de programmes
      the desktop gives no reason = le bureau ne donne pas de raison
      Save the visible part = Enregistrer la partie visible
      Sa_ve Visible Part = Enregistrer la partie _visible
      No stars = Aucune étoile
      The stars cannot be written: %1 = Les étoiles ne peuvent pas être écrites : %1
      The program cannot be started: %1 = Le programme ne peut pas être lancé : %1
      Rename = Renommer
      New name = Nouveau nom
      _Rename = _Renommer
      A file needs a name = Un fichier doit avoir un nom
      “/” cannot be part of a name = « / » ne peut pas être dans un nom
      The name is too long = Le nom est trop long
      Not turned in the file: %1 = Pas tournée dans le fichier : %1
      “%1” turned = « %1 » tournée
      %1 pictures turned = %1 images tournées
      the file is too large = le fichier est trop grand
      the file is damaged = le fichier est endommagé
      %1 files cannot keep a turn = les fichiers %1 ne gardent pas la rotation
      All pictures = Toutes les images
      Smaller = Plus petit
      Larger = Plus grand
      Full screen = Plein écran
      Open pictures = Ouvrir des images
      Folder above = Dossier parent
      Nothing Found = Rien trouvé
      No picture has such a name. = Aucune image ne s’appelle ainsi.
      No picture here has stars. = Aucune image ici n’a d’étoiles.
      Look at Pictures = Regarder des images
      Open a folder or pictures, or drop them here. = Ouvrez un dossier ou des images, ou déposez-les ici.
      No Pictures Here = Pas d’images ici
      “%1” has no pictures that this program can show. = « %1 » n’a pas d’images que ce programme sait afficher.
      %1 of %2 = %1 sur %2
      1 picture = 1 image
      %1 pictures = %1 images
      _Open Pictures… = _Ouvrir des images…
      Open _Folder… = Ouvrir un _dossier…
      S_ort = _Trier
      By _Name = Par _nom
      By _Date = Par _date
      By _Size = Par _taille
      _Reversed = Ordre _inverse
      Select _All = Tout _sélectionner
      Only with S_tars = Seulement avec _étoiles
      Show _Names = Afficher les _noms
      Show F_ilmstrip = Afficher la _pellicule
      _Slideshow = _Diaporama
      F_ull Screen = Plein é_cran
      _Preferences = _Préférences
      _Keyboard Shortcuts = _Raccourcis clavier
      _About Gallery = À pr_opos de Gallery
      _Open = _Ouvrir
      Open _With = Ouvrir a_vec
      _Another Program… = _Autre programme…
      _Copy = _Copier
      Turn _Clockwise = Tourner à _droite
      Turn _Anticlockwise = Tourner à _gauche
      _None = _Aucune
      Sta_rs = _Étoiles
      Copy _to… = Copier _vers…
      _Move to… = _Déplacer vers…
      Re_name… = Re_nommer…
      Move to Tras_h = Mettre à la cor_beille
      _Show in Folder = _Montrer dans le dossier
      _Properties = _Propriétés
      N = N
      S = S
      W = O
      E = E
      Name = Nom
      Folder = Dossier
      Address = Adresse
      Size = Taille
      Changed = Modifié
      Error = Erreur
      Stars = Étoiles
      Note = Remarque
      Came from = Provenance
      Title = Titre
      Caption = Légende
      Subjects = Mots-clés
      Type = Format
      Dimensions = Dimensions
      %1 × %2 pixels = %1 × %2 pixels
      Colour = Couleur
      %1, %2 bits = %1, %2 bits
      , transparent = , transparent
      Colour profile = Profil de couleur
      Frames = Trames
      Taken = Prise le
      Camera = Appareil
      Lens = Objectif
      Exposure = Exposition
      memory = la mémoire
      the disk cache, at this size = le cache du disque, à cette taille
      the file = le fichier
      the disk cache = le cache du disque
      a cache, confirmed by the server = un cache, confirmé par le serveur
      a cache, past its lifetime = un cache, périmé
      a larger picture in a cache = une image plus grande du cache
      the network = le réseau
      Folder %1 = Dossier %1
      %1, %2 of %3 = %1, %2 sur %3
      %1 stars = %1 étoiles
      there is no option '%1'; 'ozu-gallery --help' lists them = l’option « %1 » n’existe pas ; « ozu-gallery --help » les nomme
      Gallery = Galerie
      %1 drawn pictures = %1 images dessinées
      Cover = Remplir
      Fit = Ajuster
      Stretch = Étirer
      Preferences = Préférences
      Fill of cells = Image dans la vignette
      Round corners = Coins arrondis
      Appearance = Apparence
      Same as the desktop = Comme le bureau
      Light = Clair
      Dark = Sombre
      Seconds of a slide = Secondes par image
      Properties = Propriétés
      Show on a map = Montrer sur une carte
      Place = Lieu
      _All metadata = _Toutes les métadonnées
      Open a folder = Ouvrir un dossier
      Copy = Copier
      Undo = Annuler
      Picture on the left = Image de gauche
      Picture on the right = Image de droite
      First picture = Première image
      Last picture = Dernière image
      Fit to the window = Ajuster à la fenêtre
      Own pixels = Taille réelle
      Turn anticlockwise = Tourner à gauche
      Back to all pictures = Retour à toutes les images
      Larger cells = Vignettes plus grandes
      Smaller cells = Vignettes plus petites
      Select all = Tout sélectionner
      Slideshow = Diaporama
      Show names = Afficher les noms
      Show the filmstrip = Afficher la pellicule
      Keyboard shortcuts = Raccourcis clavier
      Close the window = Fermer la fenêtre
      Quit = Quitter
      Files = Fichiers
      One picture = Une image
      Window = Fenêtre
      Open _Pictures… = Ouvrir des _images…
      Size of the picture = Taille de l’image
      Per cent = Pour cent
      Size of the picture: %1 = Taille de l’image : %1
      """,
    help: """
      Utilisation : ozu-gallery [DOSSIER | IMAGE… | FICHIER]

      Affiche des images : celles d’un dossier, une à une, ou celles des adresses
      d’un fichier de texte (.txt), une par ligne. Une image est montrée en grand,
      parmi celles de son dossier. Sans argument, la fenêtre demande quoi ouvrir.

        ozu-gallery ~/Images
        ozu-gallery port.jpg
        ozu-gallery adresses.txt

        --demo         10 000 images que le programme dessine lui-même
        -h, --help     ce texte
        -V, --version  la version

      Dans la fenêtre, Ctrl+? montre les touches.
      """)
}
