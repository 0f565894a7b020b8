// Publishes with the npm package ntfy, with everything that it may say.
import { MessagePriority, NtfyClient, publish } from "ntfy";

const { TIDINGS_SERVER: server, TIDINGS_TOKEN: token } = process.env;

const client = new NtfyClient({ server, topic: "backups", authorization: { username: "ana", password: token } });
await client.publish({
  message: "two\nlines, ä and 🎉",
  title: "Bäckup",
  priority: MessagePriority.MAX,
  tags: ["ci", "warning"],
  iconURL: "https://ci.example.org/icon.png",
  fileURL: { url: "https://ci.example.org/log.txt", filename: "build.txt" },
  emailAddress: "ana@example.org",
  disableFirebase: true,
  actions: [
    { type: "view", label: "Open", url: "https://ci.example.org/?a=b", clear: true },
    { type: "http", label: "Retry", url: "https://ci.example.org/retry", method: "PUT", headers: { "X-Run": "4812" } },
    { type: "broadcast", label: "Picture", extras: { cmd: "pic" }, intent: "org.example.PICTURE" },
  ],
});
await client.publish({ message: "later", delay: "30m" });
await publish({
  server,
  topic: "backups",
  message: "encoded credentials",
  disableCache: true,
  authorization: Buffer.from(`ana:${token}`).toString("base64"),
});
