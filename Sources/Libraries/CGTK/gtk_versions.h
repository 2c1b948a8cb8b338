// The differences between versions of GTK, from 4.8 of Debian 12 to 4.18 of Debian 13. Nothing else asks for a version. Each
// function has one face, and behind it the calls of the headers that the build finds. GTK keeps what it calls deprecated
// for all of GTK 4, so a program that was built with older headers runs with a newer GTK.
#ifndef OZU_GTK_VERSIONS_H
#define OZU_GTK_VERSIONS_H

#include <gtk/gtk.h>

// The first in which a picture says how it fits its widget.
#if !GTK_CHECK_VERSION(4, 8, 0)
#error "Ozu needs GTK 4.8 or newer, and this one is older: leave out the trait GTK"
#endif

// Replaces the rules of a style sheet by those of a text. From 4.12 on there is a function that takes a whole text.
static inline void ozu_css_provider_load(GtkCssProvider *provider, const char *sheet) {
#if GTK_CHECK_VERSION(4, 12, 0)
  gtk_css_provider_load_from_string(provider, sheet);
#else
  gtk_css_provider_load_from_data(provider, sheet, -1);
#endif
}

// Called once when a dialog for files ends. `files` lists a GFile for each that was chosen; it is NULL if the user has
// chosen nothing, or if `error` says why nothing can be chosen.
typedef void (*OzuFilesChosen)(GListModel *files, const GError *error, gpointer data);

typedef struct {
  OzuFilesChosen answer;
  gpointer data;
} OzuChoice;

static inline void ozu_choice_end(OzuChoice *choice, GListModel *files, const GError *error) {
  choice->answer(files, error, choice->data);
  g_free(choice);
}

// From 4.10 on GtkFileDialog asks for files; before it was GtkFileChooserNative. Both show the dialog of the desktop's
// portal if there is one. Buttons have GTK's own labels, which are in the language of the user.
#if GTK_CHECK_VERSION(4, 10, 0)

// Takes the files and the error over.
static inline void ozu_file_dialog_end(OzuChoice *choice, GListModel *files, GError *error) {
  const gboolean is_refused = g_error_matches(error, GTK_DIALOG_ERROR, GTK_DIALOG_ERROR_DISMISSED) ||
                              g_error_matches(error, GTK_DIALOG_ERROR, GTK_DIALOG_ERROR_CANCELLED);
  ozu_choice_end(choice, files, is_refused ? NULL : error);
  g_clear_object(&files);
  g_clear_error(&error);
}

static inline void ozu_files_were_chosen(GObject *dialog, GAsyncResult *result, gpointer choice) {
  GError *error = NULL;
  GListModel *files = gtk_file_dialog_open_multiple_finish(GTK_FILE_DIALOG(dialog), result, &error);
  ozu_file_dialog_end((OzuChoice *)choice, files, error);
}

static inline void ozu_folder_was_chosen(GObject *dialog, GAsyncResult *result, gpointer choice) {
  GError *error = NULL;
  GFile *folder = gtk_file_dialog_select_folder_finish(GTK_FILE_DIALOG(dialog), result, &error);
  GListStore *files = folder ? g_list_store_new(G_TYPE_FILE) : NULL;
  if (folder) g_list_store_append(files, folder);
  g_clear_object(&folder);
  ozu_file_dialog_end((OzuChoice *)choice, (GListModel *)files, error);
}

static inline GtkFileDialog *ozu_file_dialog(const char *title) {
  GtkFileDialog *dialog = gtk_file_dialog_new();
  gtk_file_dialog_set_title(dialog, title);
  return dialog;
}

static inline void ozu_ask_for_files(GtkWindow *parent, const char *title, GtkFileFilter *filter, OzuChoice *choice) {
  GtkFileDialog *dialog = ozu_file_dialog(title);
  GListStore *filters = g_list_store_new(GTK_TYPE_FILE_FILTER);
  g_list_store_append(filters, filter);
  gtk_file_dialog_set_filters(dialog, G_LIST_MODEL(filters));
  g_object_unref(filters);
  gtk_file_dialog_open_multiple(dialog, parent, NULL, ozu_files_were_chosen, choice);
  g_object_unref(dialog);
}

static inline void ozu_ask_for_folder(GtkWindow *parent, const char *title, OzuChoice *choice) {
  GtkFileDialog *dialog = ozu_file_dialog(title);
  gtk_file_dialog_select_folder(dialog, parent, NULL, ozu_folder_was_chosen, choice);
  g_object_unref(dialog);
}

#else

static inline void ozu_chooser_responded(GtkNativeDialog *dialog, int response, gpointer choice) {
  GListModel *files =
      response == GTK_RESPONSE_ACCEPT ? gtk_file_chooser_get_files(GTK_FILE_CHOOSER(dialog)) : NULL;
  ozu_choice_end((OzuChoice *)choice, files, NULL);
  g_clear_object(&files);
  g_object_unref(dialog);
}

static inline void ozu_show_chooser(GtkFileChooserNative *dialog, OzuChoice *choice) {
  gtk_native_dialog_set_modal(GTK_NATIVE_DIALOG(dialog), TRUE);
  g_signal_connect(dialog, "response", G_CALLBACK(ozu_chooser_responded), choice);
  gtk_native_dialog_show(GTK_NATIVE_DIALOG(dialog));
}

static inline void ozu_ask_for_files(GtkWindow *parent, const char *title, GtkFileFilter *filter, OzuChoice *choice) {
  GtkFileChooserNative *dialog =
      gtk_file_chooser_native_new(title, parent, GTK_FILE_CHOOSER_ACTION_OPEN, NULL, NULL);
  gtk_file_chooser_set_select_multiple(GTK_FILE_CHOOSER(dialog), TRUE);
  gtk_file_chooser_add_filter(GTK_FILE_CHOOSER(dialog), filter);
  ozu_show_chooser(dialog, choice);
}

static inline void ozu_ask_for_folder(GtkWindow *parent, const char *title, OzuChoice *choice) {
  ozu_show_chooser(
      gtk_file_chooser_native_new(title, parent, GTK_FILE_CHOOSER_ACTION_SELECT_FOLDER, NULL, NULL), choice);
}

#endif

// Asks for files, or for one folder if `filter` is NULL, in a dialog over a window that must be answered first.
static inline void ozu_choose_files(
    GtkWindow *parent, const char *title, GtkFileFilter *filter, OzuFilesChosen answer, gpointer data) {
  OzuChoice *choice = g_new(OzuChoice, 1);
  choice->answer = answer;
  choice->data = data;
  if (filter) {
    ozu_ask_for_files(parent, title, filter, choice);
  } else {
    ozu_ask_for_folder(parent, title, choice);
  }
}

// Opens an address in the program that the desktop has for it. `answer` is called with the window or the launcher; it gets
// the outcome from `ozu_open_uri_finish`. From 4.10 on GtkUriLauncher does it.
static inline void ozu_open_uri(GtkWindow *parent, const char *uri, GAsyncReadyCallback answer, gpointer data) {
#if GTK_CHECK_VERSION(4, 10, 0)
  GtkUriLauncher *launcher = gtk_uri_launcher_new(uri);
  gtk_uri_launcher_launch(launcher, parent, NULL, answer, data);
  g_object_unref(launcher);
#else
  gtk_show_uri_full(parent, uri, GDK_CURRENT_TIME, NULL, answer, data);
#endif
}

// Whether the address was opened; if not, the error is the caller's.
static inline gboolean ozu_open_uri_finish(GObject *source, GAsyncResult *result, GError **error) {
#if GTK_CHECK_VERSION(4, 10, 0)
  return gtk_uri_launcher_launch_finish(GTK_URI_LAUNCHER(source), result, error);
#else
  return gtk_show_uri_full_finish(GTK_WINDOW(source), result, error);
#endif
}

// Whether textures can say what their colours are: from 4.16 on.
static inline gboolean ozu_has_color_states(void) { return GTK_CHECK_VERSION(4, 16, 0); }

// A texture whose colours are given by their primaries and transfer function of ITU-T H.273, so that GTK converts them for
// the screen; NULL where GTK cannot.
static inline GdkTexture *ozu_coded_texture(
    int width, int height, GdkMemoryFormat format, GBytes *bytes, gsize stride, guint primaries, guint transfer) {
#if GTK_CHECK_VERSION(4, 16, 0)
  GdkCicpParams *params = gdk_cicp_params_new();
  gdk_cicp_params_set_color_primaries(params, primaries);
  gdk_cicp_params_set_transfer_function(params, transfer);
  gdk_cicp_params_set_matrix_coefficients(params, 0);
  gdk_cicp_params_set_range(params, GDK_CICP_RANGE_FULL);
  GdkColorState *colors = gdk_cicp_params_build_color_state(params, NULL);
  g_object_unref(params);
  if (!colors) return NULL;
  GdkMemoryTextureBuilder *builder = gdk_memory_texture_builder_new();
  gdk_memory_texture_builder_set_width(builder, width);
  gdk_memory_texture_builder_set_height(builder, height);
  gdk_memory_texture_builder_set_format(builder, format);
  gdk_memory_texture_builder_set_bytes(builder, bytes);
  gdk_memory_texture_builder_set_stride(builder, stride);
  gdk_memory_texture_builder_set_color_state(builder, colors);
  GdkTexture *texture = gdk_memory_texture_builder_build(builder);
  g_object_unref(builder);
  gdk_color_state_unref(colors);
  return texture;
#else
  (void)width, (void)height, (void)format, (void)bytes, (void)stride, (void)primaries, (void)transfer;
  return NULL;
#endif
}

#endif
