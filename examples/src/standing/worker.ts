/**
 * Says where a transaction stands, from what was observed of it, in any order: `Status` and `Evidence`
 * alone, as a worker. The same module runs in Bun, in Deno, and bundled in workerd:
 *
 * ```sh
 * deno serve --host 127.0.0.1 --port 8000 examples/src/standing/worker.ts
 * PORT=8000 bun examples/src/standing/worker.ts
 * esbuild examples/src/standing/worker.ts --bundle --format=esm
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
