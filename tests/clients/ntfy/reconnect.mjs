// Reads topics with a WebSocket (`ws`) or an EventSource (`sse`), leaves after a few messages and comes back with the
// id of the last one, a hundred times while others publish. Then it stays until the message `end`, and prints what it got.
import { EventSource } from "eventsource";
import WebSocket from "ws";

const [kind, topics] = process.argv.slice(2);
const { TIDINGS_SERVER: server, TIDINGS_TOKEN: token } = process.env;
const RECONNECTS = 100;

const connections = {
  ws(path, onMessage) {
    const address = `${server.replace("http", "ws")}${path}`;
    const socket = new WebSocket(address, { headers: { Authorization: `Bearer ${token}` } });
    socket.on("message", (data) => onMessage(JSON.parse(data)));
    socket.on("error", (error) => fail(error));
    // Leaves with a closing handshake, or without one as when the network fails.
    return (round) => (round % 2 ? socket.close() : socket.terminate());
  },
  sse(path, onMessage) {
    // Browsers can't send a header, so the credentials are in the address.
    const auth = Buffer.from(`Bearer ${token}`).toString("base64url");
    const source = new EventSource(`${server}${path}&auth=${auth}`);
    source.onmessage = (event) => onMessage(JSON.parse(event.data));
    source.onerror = (event) => fail(event);
    return () => source.close();
  },
};

function fail(error) {
  console.error(error);
  process.exit(1);
}

/** Reads up to `most` messages after `since`; gives those, and whether `end` was among them. */
function read(since, most, round) {
  return new Promise((resolve) => {
    const messages = [];
    let left = false;
    const leave = connections[kind](`/${topics}/${kind}?since=${since}`, (message) => {
      if (left || message.event !== "message") return;
      messages.push(message);
      const ended = message.message === "end";
      if (!ended && messages.length < most) return;
      left = true;
      leave(round);
      resolve({ messages, ended });
    });
  });
}

const received = [];
let since = "all";
for (let round = 0, ended = false; !ended; round++) {
  const stays = round >= RECONNECTS;
  if (round === RECONNECTS) console.log("reconnected");
  const part = await read(since, stays ? Number.POSITIVE_INFINITY : 1 + (round % 4), round);
  received.push(...part.messages);
  since = received.at(-1).id;
  ended = part.ended;
}
console.log(JSON.stringify(received.map((message) => message.message)));
process.exit(0);
