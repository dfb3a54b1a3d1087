/**
 * The proof in the HTTP status of the response to a create: whether the create may have had an effect.
 *
 * **Details**
 *
 * | status | proof | reason |
 * |---|---|---|
 * | 200–299 | `response` | The body decides. One that cannot be read leaves a doubt. |
 * | 400, 401, 404, 429 | `no-effect` | The service refuses with them (`spec.md`, "Errors"). |
 * | 422 | `doubt` | `no-effect` if `Profile.status422` says so. |
 * | any other 4xx | `doubt` | A proxy answers with it, perhaps after it forwarded the request. |
 * | 1xx, 3xx, 5xx | `doubt` | It may come from behind the service, or during its work. |
 *
 * A create that was in doubt before stays in doubt after any of them but a readable response
 * (`docs/decisions/0010-responses.md`).
 */
import type { Switches } from "../Profile.ts"

/** The proof of a status: the body of the response decides, the create had no effect, or it may have had one. */
export type CreateProof = "response" | "no-effect" | "doubt"

/** Returns what a status proves about the effect of a create that was not in doubt before. */
export const ofStatus = (
  status: number,
  { status422 }: Pick<Switches, "status422">
): CreateProof => {
  if (status >= 200 && status < 300) return "response"
  if (status === 422) return status422
  return refusals.has(status) ? "no-effect" : "doubt"
}

const refusals = new Set([400, 401, 404, 429])
