/**
 * What every door does alike: make an `Incoming` of a request, and headers of an answer.
 *
 * @since 0.1.0
 */
import type { StatusCode } from "../../Receiver.ts"

/**
 * Returns the query of a request's target or URL, with its `?`; the empty text where there is none.
 *
 * @category getters
 * @since 0.1.0
 */
export const searchOf = (url: string): string => {
  const at = url.indexOf("?")
  return at < 0 ? "" : url.slice(at)
}

/**
 * The body of what is refused without being read.
 *
 * @category constants
 * @since 0.1.0
 */
export const nothing = new Uint8Array()

const none: Readonly<Record<string, string>> = {}
const allow: Readonly<Record<string, string>> = { allow: "POST" }

/**
 * Returns the headers that an answer has.
 *
 * @category getters
 * @since 0.1.0
 */
export const headersOf = (answer: StatusCode): Readonly<Record<string, string>> =>
  answer === 405 ? allow : none

/**
 * What is said when somebody read the body before the receiver could.
 *
 * @category constants
 * @since 0.1.0
 */
export const alreadyRead =
  "The body of a callback was read before it came to the receiver: put the receiver before whatever parses bodies, such as express.json()"
