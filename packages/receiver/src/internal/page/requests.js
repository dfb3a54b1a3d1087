/**
 * The parked requests, with a redrive of each.
 */
import { find } from "./api.js"
import { copyable, instant, h } from "@pawl/receiver/page/dom.js"
import { dateTime, kind as kindOf } from "@pawl/receiver/page/format.js"
import { table } from "@pawl/receiver/page/table.js"
import * as Redrive from "./redrive.js"
/** @import { RequestReport } from "../admin/Requests.ts" */
/** @typedef {RequestReport & { readonly parked: NonNullable<RequestReport["parked"]> }} Request */

const rows = table(
  "request-table",
  ["Request", "Kind", "Reason", "Written", "Parked", "Next step", "Action"],
  "No parked requests. A request is parked when pawl cannot find out whether it took effect. There is nothing to do now.",
  (/** @type {Request} */ { requestId }) => requestId,
  ({ createdAt, kind, parked, requestId }) => [
    copyable(requestId),
    kindOf(kind),
    parked.reason,
    instant(createdAt, dateTime(createdAt)),
    instant(parked.at, dateTime(parked.at)),
    parked.explanation,
    h(
      "button",
      {
        type: "button",
        class: "small",
        "data-testid": `redrive-${requestId}`,
        click: () =>
          Redrive.open({
            path: `/requests/${encodeURIComponent(requestId)}/redrive?parkedAt=${parked.at}`,
            heading: `Send the request ${requestId} again?`,
            text: parked.explanation,
            button: "Send again",
            noEffect: true,
            done: () => `The request ${requestId} is no longer parked.`
          })
      },
      ["Redrive"]
    )
  ]
)

/**
 * A receiver without a store of requests has none.
 *
 * @returns {Promise<ReadonlyArray<Request>>}
 */
export const read = async () =>
  /** @type {ReadonlyArray<Request> | null} */ (await find("/parked-requests")) ?? []

/** Shows the parked requests. */
export const show = rows
