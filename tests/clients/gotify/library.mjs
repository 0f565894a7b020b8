// Asks for everything that the npm package gotify-client knows.
import { deepStrictEqual as same, ok } from "node:assert";
import { GotifyClient } from "gotify-client";

const { TIDINGS_SERVER: server, TIDINGS_TOKEN: token } = process.env;
const ana = new GotifyClient(server, { client: token });
const by = (app) => new GotifyClient(`${server}/`, { app }).message;
const texts = (page) => page.messages.map((message) => message.message);
const PNG = Uint8Array.of(0x89, 0x50, 0x4e, 0x47, 0x0d, 0x0a, 0x1a, 0x0a, 1, 2, 3);

const nas = await ana.application.createApp({ name: "NAS", description: "in the cellar", defaultPriority: 4 });
const changed = await ana.application.updateApplication(nas.id, { name: "NAS 2", defaultPriority: 8 });
same([changed.name, changed.description, changed.defaultPriority], ["NAS 2", "", 8]);
const { image } = await ana.application.uploadAppImage(nas.id, { file: new Blob([PNG], { type: "image/png" }) });
same(new Uint8Array(await (await fetch(`${server}/${image}`)).arrayBuffer()), PNG);
await ana.application.removeAppImage(nas.id);
same((await ana.application.getApps()).map((app) => [app.name, app.image]), [["NAS 2", "static/defaultapp.png"]]);

const extras = { "client::display": { contentType: "text/markdown" } };
const kept = await by(nas.token).createMessage({ title: "Bäckup 🎉", message: "**two**\nlines", extras });
same([kept.priority, kept.extras, kept.appid], [8, extras, nas.id]);
const others = [];
for (const message of ["0", "1", "2"]) others.push(await by(nas.token).createMessage({ message, priority: 1 }));
const first = await ana.message.getMessages({ limit: 2 });
same([texts(first), first.paging.since], [["2", "1"], others[1].id]);
const last = await ana.application.getAppMessages({ id: nas.id, limit: 2, since: first.paging.since });
same([texts(last), last.paging.next], [["0", "**two**\nlines"], undefined]);
await ana.message.deleteMessage(others[0].id);

const other = await ana.application.createApp({ name: "other" });
await by(other.token).createMessage({ message: "temporary" });
await ana.application.deleteAppMessages(other.id);
same(texts(await ana.application.getAppMessages({ id: other.id })), []);
await ana.application.deleteApp(other.id);
same(texts(await ana.message.getMessages({ limit: 100, since: 0 })), ["2", "1", "**two**\nlines"]);

const phone = await ana.client.createClient({ name: "phone" });
same((await ana.client.updateClient(phone.id, { name: "tablet" })).name, "tablet");
ok((await ana.client.getClients()).some((client) => client.name === "tablet"));
const { id, name } = await new GotifyClient(server, { client: phone.token }).current.currentUser();
same([name, (await ana.user.getUsers()).map((user) => user.id), (await ana.user.getUser(id)).name], ["ana", [id], "ana"]);
await ana.client.deleteClient(phone.id);
same((await new GotifyClient(server, { client: phone.token }).current.currentUser()).errorCode, 401);
same((await ana.user.createUser({ name: "bob", pass: "secret", admin: false })).errorCode, 403);
same((await ana.stream.streamMessages()).errorCode, 400);
same(await ana.health.getHealth(), { health: "green", database: "green" });
ok((await ana.version.getVersion()).version);
same(await ana.plugin.getPlugins(), []);
