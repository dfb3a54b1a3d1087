import * as Effect from "effect/Effect"
import { Agent, request } from "node:http"
import { setTimeout as sleep } from "node:timers/promises"
import type { Callback } from "./FakeService.ts"

/** In milliseconds. */
const hangTimeout = 30_000

/**
 * Makes a function that posts a callback over a kept connection, again if the connection closes as
 * it is used.
 */
export const makePost = Effect.map(
  Effect.acquireRelease(
    Effect.sync(() => new Agent({ keepAlive: true })),
    (agent) => Effect.sync(() => agent.destroy())
  ),
  (agent) => {
    const post = (
      port: number,
      callback: Partial<Callback> & Pick<Callback, "body">
    ): Promise<number | undefined> =>
      new Promise((resolve) => {
        const { body, checksum, search } = callback
        const headers = {
          "content-type": "application/json",
          "content-length": Buffer.byteLength(body),
          ...(checksum !== undefined && { "x-checksum": checksum })
        }
        const sent = request(
          {
            agent,
            host: "127.0.0.1",
            port,
            path: `/callback${search ?? ""}`,
            method: "POST",
            headers
          },
          (response) => {
            response.on("error", () => resolve(undefined))
            response.on("end", () => resolve(response.statusCode))
            response.resume()
          }
        )
        sent.setTimeout(hangTimeout, () => sent.destroy())
        sent.on("error", ({ code = "" }: NodeJS.ErrnoException) => {
          const isClosed = sent.reusedSocket && ["ECONNRESET", "EPIPE"].includes(code)
          resolve(isClosed ? post(port, callback) : undefined)
        })
        // A response that ends early emits only "close".
        sent.on("close", () => resolve(undefined))
        sent.end(body)
      })
    return post
  }
)

export const repeat = async (
  count: number,
  concurrency: number,
  task: (index: number) => Promise<void>
): Promise<void> => {
  let next = 0
  const worker = async () => {
    while (next < count) await task(next++)
  }
  await Promise.all(Array.from({ length: concurrency }, worker))
}

export const forEach = <A>(
  items: ReadonlyArray<A>,
  concurrency: number,
  task: (item: A) => Promise<void>
): Promise<void> => repeat(items.length, concurrency, (index) => task(items[index] as A))

/** Posts again, up to `times`, while the receiver does not answer or answers 503. */
export const deliver = async (
  post: () => Promise<number | undefined>,
  times: number,
  gap: number,
  onRepeat: () => void = () => {}
): Promise<number | undefined> => {
  for (let posts = 1; ; posts++) {
    const status = await post()
    if ((status !== undefined && status !== 503) || posts === times) return status
    onRepeat()
    await sleep(gap)
  }
}
