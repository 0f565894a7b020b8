#!/usr/bin/gjs
// Asks Plasma not to disturb for as long as this runs.
const { Gio, GLib } = imports.gi;
const of = 'org.freedesktop.Notifications';
const asked = new GLib.Variant('(ssa{sv})', ['inhibit.js', 'a story', {}]);
Gio.DBus.session.call_sync(of, '/org/freedesktop/Notifications', of, 'Inhibit', asked, null, Gio.DBusCallFlags.NONE, -1, null);
new GLib.MainLoop(null, false).run();
