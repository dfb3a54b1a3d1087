/**
 * The script of the page. Each click is an observation that is joined to the evidence, and `standing` is
 * computed from the evidence. The page also shows the result of the documented rule, which depends on the
 * order of the final statuses.
 */
import * as Evidence from "@pawl/core/Evidence"
import { advance, type Status, statuses } from "@pawl/core/Status"

let evidence = Evidence.none
let read: Status | undefined
let ruleStatus: Status | undefined

const element = (id: string) => {
  const found = document.getElementById(id)
  if (found === null) throw new Error(`The page has no #${id}`)
  return found
}

const observe = {
  claimed: (status: Status) => {
    evidence = Evidence.join(evidence, Evidence.claimed(status))
  },
  confirmed: (status: Status) => {
    evidence = Evidence.join(evidence, Evidence.confirmed(status))
    read = status
  }
}

const show = () => {
  const { confirmed, conflict, status } = Evidence.standing(evidence, read)
  const suffix = status === undefined ? "" : confirmed ? ", confirmed" : ", not confirmed"
  const conflictText = conflict === null ? "" : `, conflict of ${conflict.join(" and ")}`
  element("standing").textContent = `${status ?? "no status"}${suffix}${conflictText}`
  element("rule").textContent = ruleStatus ?? "no status"
  const observed = {
    claimed: Evidence.claimedStatuses(evidence),
    confirmed: Evidence.confirmedStatuses(evidence)
  }
  for (const source of ["claimed", "confirmed"] as const) {
    for (const button of element(source).querySelectorAll("button"))
      button.ariaPressed = String(observed[source].some((each) => each === button.textContent))
  }
}

for (const source of ["claimed", "confirmed"] as const) {
  for (const status of statuses) {
    const button = document.createElement("button")
    button.textContent = status
    button.addEventListener("click", () => {
      observe[source](status)
      ruleStatus = advance(ruleStatus, status).status
      show()
    })
    element(source).append(button)
  }
}

element("reset").addEventListener("click", () => {
  evidence = Evidence.none
  read = undefined
  ruleStatus = undefined
  show()
})

show()
