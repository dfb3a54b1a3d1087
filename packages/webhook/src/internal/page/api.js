/**
 * The requests of the page to the admin API.
 *
 * **Details**
 *
 * If the receiver has a token, the page asks for it, and keeps it while the tab is open.
 */
import { byId } from "./dom.js"

/** Error raised when an admin API responds with an error. `status` is its status code. */
export class Refused extends Error {
  /**
   * @param {number} status
   * @param {string} message
   */
  constructor(status, message) {
    super(message)
    this.status = status
  }
}

/**
 * Calls the admin API, and fails with the message of an error response. `next` is the path of the next page of a list.
 *
 * @param {string} method
 * @param {string} path
 * @returns {Promise<{ readonly body: unknown, readonly next: string | undefined }>}
 */
export const call = async (method, path) => {
  const response = await send(method, path)
  const body = /** @type {unknown} */ (await response.json())
  if (!response.ok) {
    const { message } = /** @type {{ readonly message: string }} */ (body)
    throw new Refused(response.status, message)
  }
  return { body, next: /^<(.+)>; rel="next"$/.exec(response.headers.get("link") ?? "")?.[1] }
}

/**
 * Calls the admin API; null if the response is 404.
 *
 * @param {string} path
 * @returns {Promise<unknown>}
 */
export const find = (path) =>
  call("GET", path).then(
    ({ body }) => body,
    (error) => {
      if (error instanceof Refused && error.status === 404) return null
      throw error
    }
  )

/**
 * @param {string} method
 * @param {string} path
 * @returns {Promise<Response>}
 */
const send = async (method, path) => {
  const token = sessionStorage.getItem("token")
  const response = await fetch(path, {
    method,
    headers: token === null ? {} : { authorization: `Bearer ${token}` },
    signal: AbortSignal.timeout(20_000)
  })
  if (response.status !== 401) return response
  await askForToken(token)
  return send(method, path)
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
