/**
 * Transitions as CloudEvents 1.0, for brokers and for applications that read them.
 *
 * **Details**
 *
 * | attribute | value |
 * |---|---|
 * | `id` | `id` of the transition, the same in every attempt |
 * | `source` | `urn:pawl:receiver`, or another URI |
 * | `type` | `pawl.{kind}.{status}`, such as `pawl.card-payment.SUCCEED` |
 * | `subject` | `{method}/{transactionId}` |
 * | `sequence` | `sequence` of the transition in ten digits |
 * | `data` | the transition |
 *
 * An event has no `time`. Two with one `source` and `id` are the same event.
 *
 * @since 0.1.0
 */
import type { Transition } from "@pawl/core/Handler"
import { headerText } from "./internal/HeaderText.ts"

/**
 * A transition as a CloudEvent in the JSON format: the body of a message of the type
 * `application/cloudevents+json`.
 *
 * @category models
 * @since 0.1.0
 */
export interface CloudEvent {
  /** The version of CloudEvents. */
  readonly specversion: "1.0"
  /** The id of the transition: the same in every attempt. */
  readonly id: string
  /** The source of the event, as a URI reference. */
  readonly source: string
  /** The type of the event: `pawl.{kind}.{status}`. */
  readonly type: string
  /** The transaction: `{method}/{transactionId}`. */
  readonly subject: string
  /** The sequence of the transition in ten digits, so that texts sort like numbers. */
  readonly sequence: string
  /** The media type of `data`. */
  readonly datacontenttype: "application/json"
  /** The transition. */
  readonly data: Transition
}

/**
 * The settings of events.
 *
 * @category models
 * @since 0.1.0
 */
export interface Options {
  /**
   * The source of the events, as a URI reference: `urn:pawl:receiver` unless several services feed
   * one application.
   */
  readonly source?: string | undefined
}

/**
 * Makes the event of a transition.
 *
 * @category constructors
 * @since 0.1.0
 */
export const make = (transition: Transition, options?: Options): CloudEvent => ({
  ...attributesOf(transition, options),
  datacontenttype: "application/json",
  data: transition
})

/**
 * Returns the headers that make an event of a request with the transition as JSON: the binary
 * content mode of the HTTP binding.
 *
 * @category conversions
 * @since 0.1.0
 */
export const headersOf = (
  transition: Transition,
  options?: Options
): Readonly<Record<string, string>> =>
  Object.fromEntries(
    Object.entries(attributesOf(transition, options)).map(([name, value]) => [
      `ce-${name}`,
      headerText(value)
    ])
  )

const attributesOf = (
  { id, kind, method, sequence, to, transactionId }: Transition,
  { source = "urn:pawl:receiver" }: Options = {}
) =>
  ({
    specversion: "1.0",
    id,
    source,
    type: `pawl.${kind}.${to}`,
    subject: `${method}/${transactionId}`,
    sequence: String(sequence).padStart(10, "0")
  }) as const
