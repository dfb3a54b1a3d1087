/**
 * The requests of the page to the admin API.
 */
import { send } from "@pawl/receiver/page/token.js"

/** The path of the admin API: empty, or that of one of several merchants. */
const base = window.location.pathname.replace(/\/$/u, "")

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

/** Fails in place of an error of the browser, which does not say what happened. */
const fail = () => {
  throw new Error("The receiver does not answer. This page shows its last answer.")
}

/**
 * Calls the admin API, and fails with the message of an error response. `next` is the path of the next page of a list.
 *
 * @param {string} method
 * @param {string} path
 * @returns {Promise<{ readonly body: unknown, readonly next: string | undefined }>}
 */
export const call = async (method, path) => {
  const response = await send(`${base}${path}`, { method }, 20_000).catch(fail)
  // A proxy whose receiver is down answers with its own page.
  const body = /** @type {unknown} */ (await response.json().catch(fail))
  if (!response.ok) {
    const { message } = /** @type {{ readonly message: string }} */ (body)
    throw new Refused(response.status, message)
  }
  const next = /^<(.+)>; rel="next"$/.exec(response.headers.get("link") ?? "")?.[1]
  return { body, next: next?.replace(base, "") }
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
