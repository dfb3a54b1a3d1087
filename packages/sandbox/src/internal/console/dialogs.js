/**
 * The dialogs: clock, faults and reset.
 */
import { byId, renderList, h, setText } from "@pawl/receiver/page/dom.js"
import { duration, time } from "@pawl/receiver/page/format.js"
import { call } from "./api.js"
import { sandbox, now } from "./store.js"
/** @import { Facts } from "../pages/Console.ts" */
/** @import { Fault } from "@pawl/testkit/Faults" */

const clockForm = byId("clock-form", HTMLFormElement)
const faultsForm = byId("faults-form", HTMLFormElement)
const resetForm = byId("reset-form", HTMLFormElement)

/**
 * Makes a button open a dialog, and its form run an action. The form is disabled during the action and shows
 * its error.
 *
 * @param {string} name
 * @param {HTMLFormElement} form
 * @param {(form: FormData) => Promise<string>} act returns a message about the result
 * @param {(text: string) => void} announce
 * @param {boolean} staysOpen
 */
const dialog = (name, form, act, announce, staysOpen = false) => {
  const dialog = byId(`${name}-dialog`, HTMLDialogElement)
  const errorText = form.querySelector(".error")
  byId(`open-${name}`, HTMLButtonElement).addEventListener("click", () => {
    if (errorText !== null) errorText.textContent = ""
    dialog.showModal()
  })
  form.querySelector("[data-close]")?.addEventListener("click", () => dialog.close())
  const run = async (/** @type {() => Promise<string>} */ act) => {
    if (form.ariaBusy === "true") return
    form.ariaBusy = "true"
    try {
      announce(await act())
      if (errorText !== null) errorText.textContent = ""
      if (!staysOpen) dialog.close()
    } catch (error) {
      if (errorText !== null)
        errorText.textContent = error instanceof Error ? error.message : String(error)
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
      await call("POST", "/sandbox/clock", { advance })
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
      await call("POST", "/sandbox/faults", {
        ...fault,
        rate: Number(text(form, "rate")),
        ...(times === "" ? {} : { times: Number(times) })
      })
      return `${fault.endpoint} now has the fault ${fault.fault}.`
    },
    announce,
    true
  )
  byId("clear-faults", HTMLButtonElement).addEventListener(
    "click",
    () =>
      void change(async () => {
        await call("DELETE", "/sandbox/faults")
        return "All faults were removed."
      })
  )

  dialog(
    "reset",
    resetForm,
    async () => {
      await call("POST", "/sandbox/reset")
      return "The sandbox was reset. The clock keeps its advance."
    },
    announce
  )

  setInterval(tick, 1000)
}

const tick = () => setText(byId("now", HTMLElement), time(now()))

/** Shows the clock and the faults. */
export const show = () => {
  tick()
  const { advanced, faults } = sandbox
  setText(byId("advanced", HTMLElement), advanced === 0 ? "Clock" : `+${duration(advanced)}`)
  const count = byId("fault-count", HTMLElement)
  setText(count, String(faults.length))
  count.toggleAttribute("data-any", faults.length > 0)
  renderList(byId("faults", HTMLElement), faults, (fault) => JSON.stringify(fault), fault)
}

/** @param {Fault} fault */
const fault = ({ endpoint, fault, rate = 1, times }) =>
  h("li", {}, [
    h("code", {}, [endpoint]),
    ` ${fault}`,
    rate < 1 ? `, ${Number((rate * 100).toFixed(2))} % of the time` : "",
    times === undefined ? "" : `, ${times} more`
  ])
