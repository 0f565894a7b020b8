// Calls tools of `tidings mcp` with the Model Context Protocol's own client for Node. Arguments: what is allowed, with
// commas, and the calls as JSON, each a name, its arguments and perhaps the milliseconds after which it is cancelled.
// `$msgid` in an argument is the msgid of the answer before that had one. Prints a line after each call, and at the end the
// tools, the instructions and the answers.
import { Client } from "@modelcontextprotocol/sdk/client/index.js";
import { StdioClientTransport } from "@modelcontextprotocol/sdk/client/stdio.js";

const [allowed, calls] = process.argv.slice(2);
const args = allowed ? ["mcp", "--allow", allowed] : ["mcp"];
const client = new Client({ name: "tidings-tests", version: "1.0.0" });
await client.connect(new StdioClientTransport({ command: "tidings", args, env: process.env, stderr: "inherit" }));

const { tools } = await client.listTools();
const answers = [];
let msgid;
for (const [name, given, patience] of JSON.parse(calls)) {
  if (given.msgid === "$msgid") given.msgid = msgid;
  const options = patience ? { signal: AbortSignal.timeout(patience) } : {};
  try {
    const { content, isError } = await client.callTool({ name, arguments: given }, undefined, options);
    const text = content.map(({ text }) => text).join("\n");
    if (!isError) msgid = JSON.parse(text).msgid ?? msgid;
    answers.push({ failed: isError === true, text });
  } catch (error) {
    answers.push({ refused: error.message });
  }
  console.log(`answered: ${answers.length}`);
}
const instructions = client.getInstructions();
await client.close();
console.log(JSON.stringify({ instructions, tools, answers }));
