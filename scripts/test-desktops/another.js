#!/usr/bin/gjs
// Another program: a window with a field. It prints what is in the field. F9 starts the command in the arguments, as a menu
// or a panel does it: with a token for the focus.
imports.gi.versions.Gdk = '3.0';
imports.gi.versions.Gtk = '3.0';
const { Gdk, Gio, Gtk } = imports.gi;

Gtk.init(null);
const field = new Gtk.Entry();
field.connect('changed', () => print(`text: ${field.text}`));
const window = new Gtk.Window({ title: 'Another', default_width: 400, default_height: 200 });
window.add(field);
window.connect('key-press-event', (_window, event) => {
  if (event.get_keyval()[1] !== Gdk.KEY_F9) return false;
  const how = Gio.AppInfoCreateFlags.SUPPORTS_STARTUP_NOTIFICATION;
  Gio.AppInfo.create_from_commandline(ARGV.join(' '), 'Tidings', how).launch([], window.get_display().get_app_launch_context());
  return true;
});
window.connect('notify::is-active', () => print(window.is_active ? 'in front' : 'behind'));
window.show_all();
Gtk.main();
