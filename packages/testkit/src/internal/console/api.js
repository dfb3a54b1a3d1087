/**
 * The control API, as the console asks it.
 *
 * **Details**
 *
 * A sandbox that was started with a token asks for it. It is kept for as long as the tab is open.
 */
import { byId } from "./dom.js"

const silence = 40_000

/**
 * Asks the sandbox something, and fails with what it complains of.
 *
 * @param {string} method
 * @param {string} path
 * @param {unknown} [body]
 * @returns {Promise<unknown>}
 */
export const ask = async (method, path, body) => {
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
 * Listens to the events of the sandbox, which come every 15 seconds at least, if only as a comment.
 * Ends, or fails, when there are no more of them.
 *
 * @param {(event: { readonly event: string, readonly id: number, readonly data: unknown }) => void} heard
 * @param {() => Promise<void>} begun
 */
export const listen = async (heard, begun) => {
  const end = new AbortController()
  const response = await send("GET", "/sandbox/events", undefined, end.signal)
  if (!response.ok || response.body === null) throw new Error(`answered ${response.status}`)
  const reader = response.body.pipeThrough(new TextDecoderStream()).getReader()
  const failed = begun().catch((error) => end.abort(error))
  let rest = ""
  for (;;) {
    const timer = setTimeout(() => end.abort(), silence)
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
        heard({
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
 * Returns when there is another token than the one that was refused.
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
