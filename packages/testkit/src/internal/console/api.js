/**
 * The requests of the console to the control API.
 *
 * **Details**
 *
 * If the sandbox has a token, the console asks for it, and keeps it while the tab is open.
 */
import { byId } from "./dom.js"

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
  const response = await send(method, path, body)
  const text = await response.text()
  const answer = /** @type {unknown} */ (text === "" ? undefined : JSON.parse(text))
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
  const response = await send("GET", "/sandbox/events", undefined, end.signal)
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

/**
 * @param {string} method
 * @param {string} path
 * @param {unknown} [body]
 * @param {AbortSignal} [signal]
 * @returns {Promise<Response>}
 */
const send = async (method, path, body, signal) => {
  const token = sessionStorage.getItem("token")
  const response = await fetch(path, {
    method,
    headers: {
      ...(body === undefined ? {} : { "content-type": "application/json" }),
      ...(token === null ? {} : { authorization: `Bearer ${token}` })
    },
    ...(body === undefined ? {} : { body: JSON.stringify(body) }),
    ...(signal === undefined ? {} : { signal })
  })
  if (response.status !== 401) return response
  await askForToken(token)
  return send(method, path, body, signal)
}

/**
 * Returns once there is a token other than the refused one.
 *
 * @param {string | null} refused
 * @returns {Promise<void>}
 */
const askForToken = (refused) => {
  const dialog = byId("token-dialog", HTMLDialogElement)
  if (!dialog.open && sessionStorage.getItem("token") === refused) dialog.showModal()
  return new Promise((resolve) => {
    if (dialog.open) dialog.addEventListener("close", () => resolve(), { once: true })
    else resolve()
  })
}

byId("token-form", HTMLFormElement).addEventListener("submit", (event) => {
  event.preventDefault()
  sessionStorage.setItem("token", byId("token", HTMLInputElement).value.trim())
  byId("token-dialog", HTMLDialogElement).close()
})
byId("token-dialog", HTMLDialogElement).addEventListener("cancel", (event) =>
  event.preventDefault()
)
