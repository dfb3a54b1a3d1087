/**
 * The dialogs: the clock, the faults, the reset.
 */
import { byId, fill, h, say } from "./dom.js"
import { duration, time } from "./format.js"
import { ask } from "./api.js"
import { known, now } from "./store.js"
/** @import { Facts } from "../../Console.ts" */
/** @import { Fault } from "../../Faults.ts" */

const clockForm = byId("clock-form", HTMLFormElement)
const faultsForm = byId("faults-form", HTMLFormElement)
const resetForm = byId("reset-form", HTMLFormElement)

/**
 * Opens a dialog by its button, and does what its form asks for. While that is under way the form
 * waits; what goes wrong is said in it.
 *
 * @param {string} name
 * @param {HTMLFormElement} form
 * @param {(form: FormData) => Promise<string>} act says what was done
 * @param {(text: string) => void} announce
 * @param {boolean} staysOpen
 */
const dialog = (name, form, act, announce, staysOpen = false) => {
  const dialog = byId(`${name}-dialog`, HTMLDialogElement)
  const complaint = form.querySelector(".error")
  byId(`open-${name}`, HTMLButtonElement).addEventListener("click", () => {
    if (complaint !== null) complaint.textContent = ""
    dialog.showModal()
  })
  form.querySelector("[data-close]")?.addEventListener("click", () => dialog.close())
  const run = async (/** @type {() => Promise<string>} */ act) => {
    if (form.ariaBusy === "true") return
    form.ariaBusy = "true"
    try {
      announce(await act())
      if (complaint !== null) complaint.textContent = ""
      if (!staysOpen) dialog.close()
    } catch (error) {
      if (complaint !== null)
        complaint.textContent = error instanceof Error ? error.message : String(error)
    } finally {
      form.ariaBusy = "false"
    }
  }
  form.addEventListener("submit", (event) => {
    event.preventDefault()
    void run(() => act(new FormData(form)))
  })
  return run
}

/**
 * Makes the dialogs work.
 *
 * @param {Facts} facts
 * @param {(text: string) => void} announce
 */
export const start = (facts, announce) => {
  const text = (/** @type {FormData} */ form, /** @type {string} */ name) => {
    const value = form.get(name)
    return typeof value === "string" ? value : ""
  }

  dialog(
    "clock",
    clockForm,
    async (form) => {
      const advance = text(form, "advance")
      await ask("POST", "/sandbox/clock", { advance })
      return `The clock was advanced by ${advance}.`
    },
    announce
  )

  byId("endpoint", HTMLSelectElement).append(
    h("option", { value: "*" }, ["Every endpoint"]),
    ...facts.endpoints.map((endpoint) => h("option", {}, [endpoint]))
  )
  byId("fault", HTMLSelectElement).append(...facts.faults.map((fault) => h("option", {}, [fault])))
  const change = dialog(
    "faults",
    faultsForm,
    async (form) => {
      const fault = { endpoint: text(form, "endpoint"), fault: text(form, "fault") }
      const times = text(form, "times")
      await ask("POST", "/sandbox/faults", {
        ...fault,
        rate: Number(text(form, "rate")),
        ...(times === "" ? {} : { times: Number(times) })
      })
      return `${fault.endpoint} has the fault ${fault.fault} now.`
    },
    announce,
    true
  )
  byId("clear-faults", HTMLButtonElement).addEventListener(
    "click",
    () =>
      void change(async () => {
        await ask("DELETE", "/sandbox/faults")
        return "No endpoint has a fault any more."
      })
  )

  dialog(
    "reset",
    resetForm,
    async () => {
      await ask("POST", "/sandbox/reset")
      return "Everything was forgotten."
    },
    announce
  )

  setInterval(tick, 1000)
}

const tick = () => say(byId("now", HTMLElement), time(now()))

/** Shows the clock and the faults as they are. */
export const show = () => {
  tick()
  const { advanced, faults } = known
  say(byId("advanced", HTMLElement), advanced === 0 ? "Clock" : `+${duration(advanced)}`)
  const count = byId("fault-count", HTMLElement)
  say(count, String(faults.length))
  count.toggleAttribute("data-any", faults.length > 0)
  fill(byId("faults", HTMLElement), faults, (fault) => JSON.stringify(fault), fault)
}

/** @param {Fault} fault */
const fault = ({ endpoint, fault, rate = 1, times }) =>
  h("li", {}, [
    h("code", {}, [endpoint]),
    ` ${fault}`,
    rate < 1 ? `, ${Number((rate * 100).toFixed(2))} % of the time` : "",
    times === undefined ? "" : `, ${times} more`
  ])
