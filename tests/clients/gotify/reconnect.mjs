// Hears the stream of a user, leaves after a few messages and comes back, a hundred times while others publish. As
// Gotify's clients do, it asks the list for what it missed when a stream is open. Then it stays until the message `end`,
// and prints what it got. Its token is in the address (`query`) or in a header (`header`).
import { GotifyClient } from "gotify-client";
import WebSocket from "ws";

const [credentials] = process.argv.slice(2);
const { TIDINGS_SERVER: server, TIDINGS_TOKEN: token } = process.env;
const RECONNECTS = 100;
const { message: list } = new GotifyClient(server, { client: token });

function open() {
  const address = `${server.replace("http", "ws")}/stream`;
  if (credentials === "query") return new WebSocket(`${address}?token=${token}`);
  return new WebSocket(address, { headers: { "X-Gotify-Key": token } });
}

function fail(error) {
  console.error(error);
  process.exit(1);
}

/** What was published after the message with this id, oldest first. */
async function listAfter(last) {
  const newer = [];
  for (let since = 0; ; ) {
    const { messages, paging } = await list.getMessages({ limit: 100, since });
    newer.push(...messages.filter((message) => message.id > last));
    if (!paging.next || messages.at(-1).id <= last) return newer.reverse();
    since = paging.since;
  }
}

const isEnd = (message) => message.message === "end";

/** Hears up to `most` messages of a new stream; gives them after those that the list had when it was open. */
function hear(last, most, round) {
  return new Promise((resolve) => {
    const socket = open();
    const heard = [];
    let missed;
    let left = false;
    const leave = async () => {
      if (left) return;
      left = true;
      // Leaves with a closing handshake, or without one as when the network fails.
      round % 2 ? socket.close() : socket.terminate();
      const before = await missed;
      resolve([...before, ...heard.filter((message) => message.id > (before.at(-1)?.id ?? last))]);
    };
    socket.on("open", async () => {
      missed = listAfter(last).catch(fail);
      if ((await missed).some(isEnd)) leave();
    });
    socket.on("message", (data) => {
      const message = JSON.parse(data);
      if (left) return;
      if (message.id <= (heard.at(-1)?.id ?? 0)) fail(`twice: ${data}`);
      heard.push(message);
      if (isEnd(message) || heard.length >= most) leave();
    });
    socket.on("error", fail);
  });
}

const received = [];
for (let round = 0; !received.some(isEnd); round++) {
  const stays = round >= RECONNECTS;
  if (round === RECONNECTS) console.log("reconnected");
  received.push(...(await hear(received.at(-1)?.id ?? 0, stays ? Number.POSITIVE_INFINITY : 1 + (round % 4), round)));
}
console.log(JSON.stringify(received.map((message) => message.message)));
process.exit(0);
