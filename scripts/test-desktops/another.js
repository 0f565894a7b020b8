#!/usr/bin/gjs
// Another program: a window with a field. It prints what is in the field. F9 starts the command in the arguments, as a menu
// or a panel does it: with a token for the focus. F8 copies a picture. What is dragged from the bar below the field is the file of this program.
imports.gi.versions.Gdk = '3.0';
imports.gi.versions.Gtk = '3.0';
const { Gdk, GdkPixbuf, Gio, GLib, Gtk } = imports.gi;

Gtk.init(null);
const field = new Gtk.Entry();
field.connect('changed', () => print(`text: ${field.text}`));
const bar = new Gtk.EventBox();
// A colour that nothing else on the screen has.
const colour = new Gtk.CssProvider();
colour.load_from_data('* { background: #f0f }');
bar.get_style_context().add_provider(colour, Gtk.STYLE_PROVIDER_PRIORITY_APPLICATION);
bar.drag_source_set(Gdk.ModifierType.BUTTON1_MASK, null, Gdk.DragAction.COPY);
bar.drag_source_add_uri_targets();
bar.connect('drag-data-get', (_bar, _drag, data) => data.set_uris([GLib.filename_to_uri(imports.system.programPath, null)]));
const parts = new Gtk.Box({ orientation: Gtk.Orientation.VERTICAL });
parts.pack_start(field, false, false, 0);
parts.pack_start(bar, true, true, 0);
const window = new Gtk.Window({ title: 'Another', default_width: 400, default_height: 200 });
window.add(parts);
window.connect('key-press-event', (_window, event) => {
  const key = event.get_keyval()[1];
  if (key === Gdk.KEY_F8) {
    const picture = GdkPixbuf.Pixbuf.new(GdkPixbuf.Colorspace.RGB, false, 8, 60, 40);
    picture.fill(0xff8800ff);
    Gtk.Clipboard.get_default(window.get_display()).set_image(picture);
    print('copied');
  }
  if (key !== Gdk.KEY_F9) return false;
  const how = Gio.AppInfoCreateFlags.SUPPORTS_STARTUP_NOTIFICATION;
  Gio.AppInfo.create_from_commandline(ARGV.join(' '), 'Tidings', how).launch([], window.get_display().get_app_launch_context());
  return true;
});
window.connect('notify::is-active', () => print(window.is_active ? 'in front' : 'behind'));
window.show_all();
Gtk.main();
