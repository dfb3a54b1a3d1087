/**
 * The proof in the HTTP status of the response to a create: whether the create may have had an effect
 * (`docs/decisions/0010-responses.md`).
 *
 * | status | proof | reason |
 * |---|---|---|
 * | 200–299 | `response` | The body decides. An unreadable one leaves a doubt. |
 * | 400, 401, 404, 429 | `no-effect` | The service refuses with them (`spec.md`, "Errors"). |
 * | 422 | `doubt` | `no-effect` if `Profile.status422` says so. |
 * | any other 4xx | `doubt` | A proxy may answer after it forwarded the request. |
 * | 1xx, 3xx, 5xx | `doubt` | It may come from behind the service, or during its work. |
 *
 * Only a readable response ends an earlier doubt.
 */
import type { Switches } from "../Profile.ts"

export type CreateProof = "response" | "no-effect" | "doubt"

/** Returns the proof of a status for a create that was not in doubt before. */
export const ofStatus = (
  status: number,
  { status422 }: Pick<Switches, "status422">
): CreateProof => {
  if (status >= 200 && status < 300) return "response"
  if (status === 422) return status422
  return refusals.has(status) ? "no-effect" : "doubt"
}

const refusals = new Set([400, 401, 404, 429])
