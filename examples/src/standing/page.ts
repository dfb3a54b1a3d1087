/**
 * The page's own code: each click is an observation, joined to the evidence; one function says what the
 * evidence means. Beside it the documented rule, for which the order of final statuses matters.
 */
import * as Evidence from "@pawl/core/Evidence"
import { advance, type Status, statuses } from "@pawl/core/Status"

let evidence = Evidence.none
let read: Status | undefined
let ruled: Status | undefined

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
  const sure = status === undefined ? "" : confirmed ? ", confirmed" : ", not confirmed yet"
  const others = conflict === null ? "" : `, of ${conflict.join(" and ")}`
  element("standing").textContent = `${status ?? "nowhere yet"}${sure}${others}`
  element("rule").textContent = ruled ?? "nowhere yet"
  const seen = {
    claimed: Evidence.claimedStatuses(evidence),
    confirmed: Evidence.confirmedStatuses(evidence)
  }
  for (const source of ["claimed", "confirmed"] as const) {
    for (const button of element(source).querySelectorAll("button"))
      button.ariaPressed = String(seen[source].some((each) => each === button.textContent))
  }
}

for (const source of ["claimed", "confirmed"] as const) {
  for (const status of statuses) {
    const button = document.createElement("button")
    button.textContent = status
    button.addEventListener("click", () => {
      observe[source](status)
      ruled = advance(ruled, status).status
      show()
    })
    element(source).append(button)
  }
}

element("again").addEventListener("click", () => {
  evidence = Evidence.none
  read = undefined
  ruled = undefined
  show()
})

show()
