// Publishes with the npm package @cityssm/ntfy-publish, which sends no credentials.
import publish, { ntfyMessagePriorityHigh } from "@cityssm/ntfy-publish";

const published = await publish({
  server: process.env.TIDINGS_SERVER,
  topic: "backups",
  title: "Build 4812",
  message: "two\nlines",
  priority: ntfyMessagePriorityHigh,
  tags: ["ci", "warning"],
  clickURL: "https://ci.example.org/4812",
  iconURL: "https://ci.example.org/icon.png",
  fileAttachmentURL: "https://ci.example.org/log.txt",
  cache: false,
});
if (!published) throw new Error("not published");
