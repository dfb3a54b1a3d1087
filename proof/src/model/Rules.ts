/**
 * The rules of the protocol. A mutant of the model breaks one of them.
 */
import type { Policy } from "@pawl/core/Evidence"

/**
 * The rules.
 *
 * - `writesOrderFirst`: the shop writes an order down before it sends the request.
 * - `keepsRequestId`: a request that is sent again has the same requestId.
 * - `storesFirst`: a callback is answered 200 after it is stored.
 * - `joinsEvidence`: a write of a worker joins evidence to that of the row, and does not replace it.
 * - `fencesWrites`: a write without the lease changes nothing.
 * - `renewsLeases`: a worker that runs keeps its lease. Else the lease may end under its handler.
 * - `endsLeases`: the lease of a process that ended runs out.
 * - `keepsTurn`: a process that stops keeps the lease of a row whose handler may be at work.
 * - `usesLedgerClock`: leases end by the clock of the ledger, and not by that of the worker that claims.
 * - `policy`: the claims that count before the service confirms them.
 * - `toldBy`: the handler is told the standing, or the status that was read last.
 * - `commitsWithMark`: the effects of the handler and the mark that it was told commit together.
 * - `retriesCalls`: a call that failed is made again. Else it counts as told.
 * - `reads`: reads are made at all times, until an end was told, or only after a claim.
 */
export interface Rules {
  readonly writesOrderFirst: boolean
  readonly keepsRequestId: boolean
  readonly storesFirst: boolean
  readonly joinsEvidence: boolean
  readonly fencesWrites: boolean
  readonly renewsLeases: boolean
  readonly endsLeases: boolean
  readonly keepsTurn: boolean
  readonly usesLedgerClock: boolean
  readonly policy: Policy
  readonly toldBy: "standing" | "last read"
  readonly commitsWithMark: boolean
  readonly retriesCalls: boolean
  readonly reads: "always" | "until an end" | "after a claim"
}

/** The rules of pawl. */
export const rules: Rules = {
  writesOrderFirst: true,
  keepsRequestId: true,
  storesFirst: true,
  joinsEvidence: true,
  fencesWrites: true,
  renewsLeases: true,
  endsLeases: true,
  keepsTurn: true,
  usesLedgerClock: true,
  policy: "final",
  toldBy: "standing",
  commitsWithMark: true,
  retriesCalls: true,
  reads: "always"
}
