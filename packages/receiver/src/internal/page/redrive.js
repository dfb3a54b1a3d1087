/**
 * The dialog of a redrive: a person says who and why, before anything is worked on again.
 */
import { call } from "./api.js"
import { byId, setText } from "@pawl/receiver/page/dom.js"

/**
 * A redrive. `path` is that of the admin API; `rate` and `noEffect` say which more there is to choose.
 *
 * @typedef {{
 *   readonly path: string
 *   readonly heading: string
 *   readonly text: string
 *   readonly button: string
 *   readonly rate?: boolean
 *   readonly noEffect?: boolean
 *   readonly done: (body: unknown) => string
 * }} Redrive
 */

const dialog = byId("redrive-dialog", HTMLDialogElement)
const form = byId("redrive-form", HTMLFormElement)
const by = byId("by", HTMLInputElement)
const why = byId("why", HTMLInputElement)
const rate = byId("rate", HTMLInputElement)
const noEffect = byId("no-effect", HTMLInputElement)
const errorText = /** @type {HTMLElement} */ (form.querySelector(".error"))

/** @type {Redrive | undefined} */
let current

/**
 * @param {Redrive} redrive
 */
export const open = (redrive) => {
  current = redrive
  setText(byId("redrive-heading", HTMLElement), redrive.heading)
  setText(byId("redrive-text", HTMLElement), redrive.text)
  setText(byId("redrive-button", HTMLElement), redrive.button)
  byId("rate-field", HTMLElement).hidden = redrive.rate !== true
  // A browser sends no form with an invalid field, even if nobody sees the field.
  rate.disabled = redrive.rate !== true
  byId("no-effect-field", HTMLElement).hidden = redrive.noEffect !== true
  by.value = localStorage.getItem("by") ?? ""
  why.value = ""
  noEffect.checked = false
  errorText.textContent = ""
  dialog.showModal()
  if (by.value === "") by.focus()
  else why.focus()
}

/** @param {Redrive} redrive */
const act = async ({ done, noEffect: canState, path, rate: hasRate }) => {
  const [pathname = "", search = ""] = path.split("?")
  const query = new URLSearchParams(search)
  query.set("by", by.value.trim())
  query.set("why", why.value.trim())
  if (hasRate === true) query.set("rate", rate.value)
  if (canState === true && noEffect.checked) query.set("hadNoEffect", "true")
  const { body } = await call("POST", `${pathname}?${query}`)
  localStorage.setItem("by", by.value.trim())
  return done(body)
}

/**
 * Redrives, and closes the dialog or shows the error.
 *
 * @param {NonNullable<typeof current>} dead
 * @param {(text: string) => void} announce
 */
const submit = async (dead, announce) => {
  form.ariaBusy = "true"
  try {
    const text = await act(dead)
    dialog.close()
    announce(text)
  } catch (error) {
    errorText.textContent = error instanceof Error ? error.message : String(error)
  } finally {
    form.ariaBusy = "false"
  }
}

/**
 * `announce` receives the result.
 *
 * @param {(text: string) => void} announce
 */
export const start = (announce) => {
  form.querySelector("[data-close]")?.addEventListener("click", () => dialog.close())
  form.addEventListener("submit", (event) => {
    event.preventDefault()
    if (current === undefined || form.ariaBusy === "true") return
    void submit(current, announce)
  })
}
