import type { ParkReason } from "../rule/RequestRow.ts"

/** The step that a person takes. */
export const cures: Readonly<Record<ParkReason, string>> = {
  refused:
    "the service refused it three times over ten minutes; correct the cause, then redrive it",
  window:
    "it may have taken effect, and the service may have forgotten its requestId; ask the service, and if it had no effect, redrive it with hadNoEffect",
  "card-data":
    "it may have taken effect, and its card data was not stored; make the same create again, or ask the service, and if it had no effect, redrive it with hadNoEffect",
  "rebuilt-differently":
    "rebuild returned another body than was sent, or an invalid input; correct rebuild, then redrive it",
  "no-key":
    "no given key opens it; give the secret or the key that sealed it, then redrive it or make the same create again, which needs no key if it was never sent",
  unreadable:
    "its row was changed in the database; restore the row, or if it was never sent, make the same create again; else ask the service whether it took effect, and if it did not, make it with another requestId"
}
