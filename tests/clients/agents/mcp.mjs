// Calls tools of `tidings mcp` with the Model Context Protocol's own client for Node. Arguments: what is allowed, with
// commas, and the calls as JSON, each a name and its arguments. Prints the tools, the instructions and the answers.
import { Client } from "@modelcontextprotocol/sdk/client/index.js";
import { StdioClientTransport } from "@modelcontextprotocol/sdk/client/stdio.js";

const [allowed, calls] = process.argv.slice(2);
const args = allowed ? ["mcp", "--allow", allowed] : ["mcp"];
const client = new Client({ name: "tidings-tests", version: "1.0.0" });
await client.connect(new StdioClientTransport({ command: "tidings", args, env: process.env, stderr: "inherit" }));

const { tools } = await client.listTools();
const answers = [];
for (const [name, given] of JSON.parse(calls)) {
  try {
    const { content, isError } = await client.callTool({ name, arguments: given });
    answers.push({ failed: isError === true, text: content.map(({ text }) => text).join("\n") });
  } catch (error) {
    answers.push({ refused: error.message });
  }
}
const instructions = client.getInstructions();
await client.close();
console.log(JSON.stringify({ instructions, tools, answers }));
