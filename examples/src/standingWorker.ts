/**
 * Shows `Status` and `Evidence` of `@pawl/core` in a worker: returns the standing of a transaction for the
 * claimed and confirmed statuses in the query. The module runs in Bun, in Deno, and bundled in workerd:
 *
 * ```sh
 * deno serve --host 127.0.0.1 --port 8000 examples/src/standingWorker.ts
 * PORT=8000 bun examples/src/standingWorker.ts
 * esbuild examples/src/standingWorker.ts --bundle --format=esm
 *
 * curl 'http://127.0.0.1:8000/?claimed=SUCCEED&claimed=PENDING&confirmed=PROCESSING'
 * # {"status":"PROCESSING","rank":3,"confirmed":true,"conflict":null}
 * ```
 */
import * as Evidence from "@pawl/core/Evidence"
import { isStatus } from "@pawl/core/Status"

export default {
  fetch: (request: Request): Response => {
    const { searchParams } = new URL(request.url)
    const claimed = searchParams.getAll("claimed").filter(isStatus)
    const confirmed = searchParams.getAll("confirmed").filter(isStatus)
    const evidence = [
      ...claimed.map(Evidence.claimed),
      ...confirmed.map(Evidence.confirmed)
    ].reduce(Evidence.join, Evidence.none)
    return Response.json(Evidence.standing(evidence, confirmed.at(-1)))
  }
}
