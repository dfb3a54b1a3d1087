/**
 * The updates of a page: every two seconds while it is visible, and whenever something changed.
 */
import { byId, setText } from "@pawl/receiver/page/dom.js"

/** The time between two updates, in milliseconds. */
const interval = 2000

/**
 * Starts the updates, and returns the function that asks for one now, or after the update that runs. An update that fails shows
 * its error, and `settled` is called with the result of each.
 *
 * @param {() => Promise<void>} update
 * @param {(state: "live" | "lost") => void} [settled]
 */
export const start = (update, settled) => {
  let isRunning = false
  let isWanted = false
  /** @type {ReturnType<typeof setTimeout> | undefined} */
  let timer

  const run = async () => {
    isRunning = true
    clearTimeout(timer)
    while (isWanted) {
      isWanted = false
      const error = await update().then(() => undefined, textOf)
      settled?.(error === undefined ? "live" : "lost")
      setText(byId("error", HTMLElement), error ?? "")
    }
    isRunning = false
    timer = setTimeout(() => document.hidden || refresh(), interval)
  }

  const refresh = () => {
    isWanted = true
    if (!isRunning) void run()
  }
  document.addEventListener("visibilitychange", () => document.hidden || refresh())
  return refresh
}

/** @param {unknown} error */
const textOf = (error) => (error instanceof Error ? error.message : String(error))
