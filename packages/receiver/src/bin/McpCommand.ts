/**
 * The command `mcp`: an MCP server on standard input and output over the admin API of a receiver.
 */
import * as NodeHttpClient from "@effect/platform-node/NodeHttpClient"
import * as McpProtocol from "effect/ai/McpProtocol"
import * as McpServer from "effect/ai/McpServer"
import * as CommandOutput from "@pawl/webhook/internal/CommandOutput"
import * as Command from "effect/cli/Command"
import * as Flag from "effect/cli/Flag"
import * as Config from "effect/Config"
import * as Console from "effect/Console"
import * as Effect from "effect/Effect"
import * as Layer from "effect/Layer"
import * as Redacted from "effect/Redacted"
import * as Result from "effect/Result"
import * as Stdio from "effect/Stdio"
import * as Stream from "effect/Stream"
import { createRequire } from "node:module"
import * as Access from "../internal/admin/Access.ts"
import * as AdminReader from "../internal/mcp/AdminReader.ts"
import * as Tools from "../internal/mcp/Tools.ts"

const { version } = createRequire(import.meta.url)("../../package.json") as {
  readonly version: string
}

/**
 * Returns an origin, or the address of a merchant. A query or credentials would be sent with each
 * request.
 */
const baseOf = (text: string): string | undefined => {
  const url = URL.parse(text)
  if (url === null || !/^https?:$/u.test(url.protocol)) return undefined
  const path = /^\/(?:merchants\/[a-z0-9_-]{1,32}\/?)?$/u.test(url.pathname) ? url.pathname : ""
  return url.href === `${url.origin}${path}` ? url.href.replace(/\/$/u, "") : undefined
}

const flags = {
  admin: Flag.String("admin").pipe(
    Flag.withDescription(
      "The admin API of the receiver (default: http://127.0.0.1:4021); of several merchants http://127.0.0.1:4021/merchants/ID"
    ),
    Flag.withDefault("http://127.0.0.1:4021")
  )
}

const token = Config.Redacted("PAWL_ADMIN_TOKEN").pipe(Config.withDefault(Redacted.make("")))

const parseError = '{"jsonrpc":"2.0","id":null,"error":{"code":-32700,"message":"Parse error"}}'

const isJson = (line: string) => Result.isSuccess(Result.try((): unknown => JSON.parse(line)))

/** Answers a line that is no JSON: the server would drop it, and the requests that came with it. */
const stdio = Layer.effect(
  Stdio.Stdio,
  Effect.map(Stdio.Stdio, (stdio) => ({
    ...stdio,
    stdin: stdio.stdin.pipe(
      Stream.decodeText,
      // A carriage return is white space in JSON, and would end the line.
      Stream.map((text) => text.replaceAll("\r", " ")),
      Stream.splitLines,
      Stream.filter((line) => line.trim() !== ""),
      Stream.mapEffect((line) =>
        isJson(line) ? Effect.succeed(`${line}\n`) : Effect.as(Console.log(parseError), "")
      ),
      Stream.encodeText
    )
  }))
)

/** Command that serves until its input ends. */
export const mcp = Command.make(
  "mcp",
  flags,
  Effect.fnUntraced(function* ({ admin }) {
    const base = baseOf(admin)
    if (base === undefined) {
      // The value is not printed, because it may have a password.
      return yield* CommandOutput.report(
        "--admin cannot be used: give an address such as http://127.0.0.1:4021, or http://127.0.0.1:4021/merchants/shop-a of a merchant, without credentials"
      )
    }
    const secret = yield* token
    const text = Redacted.value(secret)
    if (text !== "" && !Access.isToken(text)) {
      return yield* CommandOutput.report(`PAWL_ADMIN_TOKEN cannot be used: ${Access.tokenAdvice}.`)
    }
    return yield* Layer.launch(
      McpServer.layerStdio({
        name: "pawl",
        version,
        instructions: Tools.instructions,
        protocols: [
          McpProtocol.v2025_11_25,
          McpProtocol.v2025_06_18,
          McpProtocol.v2025_03_26,
          McpProtocol.v2024_11_05
        ],
        registrations: McpServer.toolkit(Tools.toolkit).pipe(Layer.provide(Tools.layer))
      }).pipe(
        Layer.provide(AdminReader.layer({ base, token: text === "" ? undefined : secret })),
        Layer.provide([NodeHttpClient.layerUndici, stdio])
      )
    )
  })
).pipe(
  Command.withDescription(
    "Lets assistants find and explain the transactions of a receiver (MCP, on standard input and output), and changes nothing. PAWL_ADMIN_TOKEN is the token of its admin API"
  ),
  Command.withShortDescription("Serves assistants (MCP): finds and explains transactions"),
  CommandOutput.example(
    "--admin http://127.0.0.1:4021",
    "Reads the receiver whose --admin-port is 4021"
  )
)
