// Publishes with the npm package gotify, with everything that it may say.
import { deepStrictEqual as same } from "node:assert";
import { Gotify, gotify } from "gotify";

const { TIDINGS_SERVER: server, TIDINGS_TOKEN: app } = process.env;
const extras = {
  "client::display": { contentType: "text/markdown" },
  "client::notification": {
    click: { url: "https://ci.example.org/4812?a=b" },
    bigImageUrl: "https://ci.example.org/chart.png",
  },
  "android::action": { onReceive: { intentUrl: "https://ci.example.org/" } },
};
const published = await gotify({ server, app, title: "Bäckup 🎉", message: "**two**\nlines", priority: 8, extras });
same([published.priority, published.extras], [8, extras]);
await new Gotify({ server }).send({ app, title: "Backup", message: "without extras", priority: 0 });
const refused = await gotify({ server, app: "tdg_wrong", title: "Backup", message: "refused", priority: 5 }).catch(
  (error) => error.response.statusCode,
);
same(refused, 401);
