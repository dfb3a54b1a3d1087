/**
 * The requests of the console to the control API.
 */
import { send } from "@pawl/receiver/page/token.js"

/** The longest silence of the event stream, in milliseconds. */
const idleTimeout = 40_000

/**
 * Calls the control API, and fails with the message of the error response.
 *
 * @param {string} method
 * @param {string} path
 * @param {unknown} [body]
 * @returns {Promise<unknown>}
 */
export const call = async (method, path, body) => {
  const json = { headers: { "content-type": "application/json" }, body: JSON.stringify(body) }
  const fail = () => {
    throw new Error("The sandbox does not answer.")
  }
  const response = await send(path, { method, ...(body !== undefined && json) }).catch(fail)
  const read = async () => {
    const text = await response.text()
    return /** @type {unknown} */ (text === "" ? undefined : JSON.parse(text))
  }
  // A proxy whose sandbox is down answers with its own page.
  const answer = await read().catch(fail)
  if (response.ok) return answer
  const { errors = [], message } = /** @type {{
    readonly message: string
    readonly errors?: ReadonlyArray<{ readonly field: string, readonly message: string }>
  }} */ (answer)
  throw new Error(
    [message, ...errors.map(({ field, message }) => `${field}: ${message}`)].join(". ")
  )
}

/**
 * Listens to the events of the sandbox. Returns or fails when the stream ends. The sandbox sends a comment
 * every 15 seconds, so a stream that is silent for longer is broken.
 *
 * @param {(event: { readonly event: string, readonly id: number, readonly data: unknown }) => void} onEvent
 * @param {() => Promise<void>} onOpen
 */
export const listen = async (onEvent, onOpen) => {
  const end = new AbortController()
  const response = await send("/sandbox/events", { signal: end.signal })
  if (!response.ok || response.body === null) throw new Error(`The response was ${response.status}`)
  const reader = response.body.pipeThrough(new TextDecoderStream()).getReader()
  const failed = onOpen().catch((error) => end.abort(error))
  let rest = ""
  for (;;) {
    const timer = setTimeout(() => end.abort(), idleTimeout)
    const { done, value = "" } = await reader.read().finally(() => clearTimeout(timer))
    if (done) return failed
    const blocks = (rest + value).split("\n\n")
    rest = blocks.pop() ?? ""
    for (const block of blocks) {
      const fields = new Map(
        block
          .split("\n")
          .map(
            (line) =>
              /** @type {const} */ ([line.replace(/:.*$/, ""), line.replace(/^[^:]*: ?/, "")])
          )
      )
      const data = fields.get("data")
      if (data === undefined) continue
      try {
        onEvent({
          event: fields.get("event") ?? "",
          id: Number(fields.get("id")),
          data: JSON.parse(data)
        })
      } catch (error) {
        end.abort(error)
      }
    }
  }
}
